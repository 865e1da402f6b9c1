package serve

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// MetricsRequest is a finished run of NeMo Gym: the answers of /verify, without the texts.
type MetricsRequest struct {
	Rows []Row `json:"verify_responses"`
}

// Metrics are statistics of the members that are numbers, such as mean/reward: of the rows
// of each task, and of all rows.
type Metrics struct {
	Groups  []map[string]float64 `json:"group_level_metrics"`
	Agent   map[string]float64   `json:"agent_metrics"`
	Key     map[string]float64   `json:"key_metrics"`
	Repeats []struct{}           `json:"repeat_level_metrics"` // none: nothing reads them but reports
}

const taskIndex = "_ng_task_index"

// aggregate does what compute_aggregate_metrics of NeMo Gym 0.7 does. A masked row could not be
// judged, so it is counted, but in no mean.
func aggregate(_ context.Context, _ *Server, _ *Call, q *MetricsRequest) (*Metrics, error) {
	out := &Metrics{Groups: []map[string]float64{}, Agent: map[string]float64{}, Key: map[string]float64{}, Repeats: []struct{}{}}
	tasks, repeats := map[float64][]Row{}, map[float64]bool{}
	var scored []Row
	for i, row := range q.Rows {
		if _, ok := row.number("reward"); !ok {
			return nil, bad("/verify_responses/%d has no number `reward`; an answer of /verify has one", i)
		}
		task, _ := row.number(taskIndex)
		repeat, _ := row.number("_ng_rollout_index")
		repeats[repeat] = true
		of := tasks[task]
		if masked, _ := row.number("mask_sample"); masked == 0 {
			scored, of = append(scored, row), append(of, row)
		}
		tasks[task] = of
	}
	lost := 0.0
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		rows := tasks[task]
		if len(rows) == 0 {
			lost++
			continue
		}
		group := statistics(rows)
		group[taskIndex], group["num_rollouts"] = task, float64(len(rows))
		out.Groups = append(out.Groups, group)
	}
	if len(scored) > 0 {
		out.Agent = statistics(scored)
		out.Agent["num_repeats"] = float64(len(repeats))
	}
	if masked := len(q.Rows) - len(scored); masked > 0 {
		out.Agent["coverage/measured_rollouts"], out.Agent["coverage/masked_rollouts"] = float64(len(scored)), float64(masked)
		out.Agent["coverage/measured_tasks"], out.Agent["coverage/fully_masked_tasks"] = float64(len(out.Groups)), lost
	}
	for name, x := range out.Agent {
		if strings.HasPrefix(name, "mean/") || strings.HasPrefix(name, "coverage/") {
			out.Key[name] = x
		}
	}
	return out, nil
}

// number returns a numeric or boolean member as a number.
func (r Row) number(name string) (x float64, ok bool) {
	switch r[name].Kind() {
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '0':
		return x, json.Unmarshal(r[name], &x) == nil
	}
	return 0, false
}

// statistics returns statistics of each numeric member of rows and of their token usage.
func statistics(rows []Row) map[string]float64 {
	columns := map[string][]float64{}
	for _, row := range rows {
		var response struct {
			Usage Row `json:"usage"`
		}
		_ = json.Unmarshal(row["response"], &response) // it may have none
		for _, members := range []Row{row, response.Usage} {
			for name := range members {
				if x, ok := members.number(name); ok && !strings.HasPrefix(name, "_") && name != "mask_sample" {
					columns[name] = append(columns[name], x)
				}
			}
		}
	}
	out := map[string]float64{}
	for name, x := range columns {
		slices.Sort(x)
		n := len(x)
		sum, squares := 0.0, 0.0
		for _, v := range x {
			sum += v
		}
		mean := sum / float64(n)
		for _, v := range x {
			squares += (v - mean) * (v - mean)
		}
		out["mean/"+name], out["min/"+name], out["max/"+name] = mean, x[0], x[n-1]
		out["median/"+name] = (x[(n-1)/2] + x[n/2]) / 2
		out["std/"+name] = math.Sqrt(squares / float64(max(n-1, 1)))
	}
	maps.DeleteFunc(out, func(_ string, x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }) // of numbers near the largest
	return out
}
