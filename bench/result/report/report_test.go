package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/chart"
	"ein/internal/page"
)

func tableOf(t *testing.T, r *Report, id string) *Table {
	t.Helper()
	for _, x := range r.Tables() {
		if x.ID == id {
			return x
		}
	}
	t.Fatalf("there is no table %s", id)
	return nil
}

func (t *Table) cell(tb testing.TB, row int, column string) chart.Value {
	tb.Helper()
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == column })
	if i < 0 {
		tb.Fatalf("table %s has no column %s", t.ID, column)
	}
	return t.Rows[row].Cells[i]
}

func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))
}

// TestShares compares tables with counts made anew from the rows of the runs, and
// their intervals with the formula of Wilson 1927.
func TestShares(t *testing.T) {
	runs := madeRuns(t, 4)
	for _, lenient := range []bool{false, true} {
		r := makeReport(t, Options{Lenient: lenient}, runs...)
		count := func(a *Arm, of func(*run.Row) bool) (right, n int) {
			for i := range a.Run.Rows {
				row := &a.Run.Rows[i]
				if row.Mode != a.Mode || row.Encoding != a.Encoding || row.Score == nil || row.Score.Outcome == answer.InfraError || !of(row) {
					continue
				}
				n++
				if lenient && row.Score.Lenient || !lenient && row.Score.Strict {
					right++
				}
			}
			return right, n
		}
		check := func(what string, v chart.Value, right, n int) {
			t.Helper()
			if n == 0 {
				if !v.Missing() {
					t.Errorf("%s: %v of nothing", what, v)
				}
				return
			}
			low, high := wilson(float64(right), float64(n))
			if v.N != n || !near(v.V, 100*float64(right)/float64(n)) || !near(v.Low, 100*low) || !near(v.High, 100*high) {
				t.Errorf("%s: %+v, want %d of %d", what, v, right, n)
			}
		}
		for k, a := range r.Arms {
			levels := tableOf(t, r, "levels")
			for _, l := range []string{"L1", "L2", "L3"} {
				right, n := count(a, func(x *run.Row) bool { return x.Instance.Level == l })
				check(a.Name+" "+l, levels.cell(t, k, strings.ToLower(l)), right, n)
			}
			right, n := count(a, func(*run.Row) bool { return true })
			check(a.Name, levels.cell(t, k, "all"), right, n)
			size := tableOf(t, r, "size")
			sum := 0
			for i, c := range size.Columns {
				right, n := count(a, func(x *run.Row) bool { return "n = "+sizeName(x.Instance.N) == c.Name })
				check(a.Name+" "+c.Name, size.Rows[k].Cells[i], right, n)
				sum += n
			}
			if sum != n {
				t.Errorf("%s: sizes have %d answers of %d", a.Name, sum, n)
			}
			for i, row := range tableOf(t, r, "categories").Rows {
				right, n := count(a, func(x *run.Row) bool { return x.Instance.Category == row.Keys[1] })
				check(a.Name+" "+row.Keys[1], tableOf(t, r, "categories").Rows[i].Cells[k], right, n)
			}
		}
	}
}

func wilson(x, n float64) (low, high float64) {
	const z = 1.959963984540054
	p := x / n
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (mid - half) / (1 + z*z/n), (mid + half) / (1 + z*z/n)
}

func sizeName(n int) string { return interval{n, n}.String() }

// TestOutcomesAddUp checks that every reply has one outcome, and that nothing that was
// asked is lost.
func TestOutcomesAddUp(t *testing.T) {
	r := makeReport(t, Options{}, madeRuns(t, 3)...)
	outcomes := tableOf(t, r, "outcomes")
	for k, a := range r.Arms {
		sum := 0.0
		for i, c := range outcomes.Columns {
			if c.Unit == Percent {
				sum += outcomes.Rows[k].Cells[i].V
			}
		}
		if !near(sum, 100) {
			t.Errorf("%s: outcomes are %v %%", a.Name, sum)
		}
		all := outcomes.cell(t, k, "scored").V + outcomes.cell(t, k, "infra_error").V + outcomes.cell(t, k, "missing").V
		if int(all) != len(a.all) {
			t.Errorf("%s: %v rows in the table, %d were asked", a.Name, all, len(a.all))
		}
		strict, lenient := tableOf(t, r, "scoring").cell(t, k, "strict").V, tableOf(t, r, "scoring").cell(t, k, "lenient").V
		if gap := tableOf(t, r, "scoring").cell(t, k, "gap").V; !near(gap, lenient-strict) {
			t.Errorf("%s: the gap is %v, from %v to %v", a.Name, gap, strict, lenient)
		}
	}
}

// TestTokens computes ratios from the rows.
func TestTokens(t *testing.T) {
	runs := madeRuns(t, 2)
	r := makeReport(t, Options{}, runs...)
	tokens, cost := tableOf(t, r, "tokens"), tableOf(t, r, "cost")
	for k, a := range r.Arms {
		var in, out, reasoning, right, n, dollars float64
		for i := range a.Run.Rows {
			x := &a.Run.Rows[i]
			if x.Mode != a.Mode || x.Encoding != a.Encoding || x.Score == nil || x.Score.Outcome == answer.InfraError {
				continue
			}
			n++
			in, out, reasoning = in+float64(x.Reply.Usage.Input), out+float64(x.Reply.Usage.Output), reasoning+float64(x.Reply.Usage.Reasoning)
			dollars += x.Reply.Cost
			if x.Score.Strict {
				right++
			}
		}
		for column, want := range map[string]float64{"input": in / n, "output": out / n, "reasoning": reasoning / n, "visible": (out - reasoning) / n, "output_correct": out / right} {
			v := tokens.cell(t, k, column)
			if !near(v.V, want) {
				t.Errorf("%s: %s is %v, want %v", a.Name, column, v.V, want)
			}
			if want > 0 && !(v.Low <= v.V && v.V <= v.High) {
				t.Errorf("%s: %s %v is outside of its interval", a.Name, column, v)
			}
		}
		if v := cost.cell(t, k, "correct").V; !near(v, 1000*dollars/right) {
			t.Errorf("%s: 1,000 correct answers cost %v, want %v", a.Name, v, 1000*dollars/right)
		}
	}
	// Replies without a count are no replies of 0 tokens.
	first := slices.IndexFunc(runs[0].Rows, func(x run.Row) bool { return x.Reply != nil && x.Mode == r.Arms[0].Mode })
	runs[0].Rows[first].Reply.Usage = model.Usage{}
	if v := tableOf(t, makeReport(t, Options{}, runs...), "tokens").cell(t, 0, "input"); v.N != len(r.Arms[0].scored)-1 {
		t.Errorf("the mean of %d replies, of which one is not counted, is of %d", len(r.Arms[0].scored), v.N)
	}
	runs[0].Rows[first].Reply.Usage = model.Usage{Input: 100}
	r = makeReport(t, Options{}, runs...)
	if v := tableOf(t, r, "cost").cell(t, 0, "answers"); v.N != len(r.Arms[0].scored)-1 || !strings.Contains(strings.Join(r.Notes, "\n"), "did not count the tokens of 1 of ") {
		t.Errorf("a reply counted in part is in the cost of %d of %d: %q", v.N, len(r.Arms[0].scored), r.Notes)
	}
	// A provider that counts nothing has no tokens, rather than none at all.
	for i := range runs[1].Rows {
		if p := runs[1].Rows[i].Reply; p != nil {
			p.Usage.Input, p.Usage.Output, p.Usage.Reasoning = 0, 0, 0
		}
	}
	r = makeReport(t, Options{}, runs...)
	k := slices.IndexFunc(r.Arms, func(a *Arm) bool { return a.Run == runs[1] })
	if v := tableOf(t, r, "tokens").cell(t, k, "output"); !v.Missing() {
		t.Errorf("uncounted tokens are shown as %v", v)
	}
}

// TestClusters checks that five answers to a question do not count as five questions.
func TestClusters(t *testing.T) {
	one := madeRun(t, "made:small", 4, surface.NL)
	five := *one
	five.Rows = nil
	for _, row := range one.Rows {
		for s := range 5 {
			row.Sample = s
			five.Rows = append(five.Rows, row)
		}
	}
	a := tableOf(t, makeReport(t, Options{}, one), "levels").cell(t, 0, "all")
	b := tableOf(t, makeReport(t, Options{}, &five), "levels").cell(t, 0, "all")
	if a.V != b.V || b.N != 5*a.N {
		t.Fatalf("%+v became %+v", a, b)
	}
	if ratio := (b.High - b.Low) / (a.High - a.Low); ratio < 0.95 || ratio > 1.1 {
		t.Errorf("the same answers five times make the interval %v times as wide", ratio)
	}
}

// TestPairedEncodings compares with differences computed pair by pair.
func TestPairedEncodings(t *testing.T) {
	x := madeRun(t, "made:small", 4, surface.NL, surface.Matrix)
	x.Rows = slices.DeleteFunc(x.Rows, func(row run.Row) bool {
		return row.Encoding == surface.Matrix && row.Instance.Category == "cousin" // no partners
	})
	r := makeReport(t, Options{}, x)
	right := map[string]map[surface.Encoding]float64{}
	for i := range x.Rows {
		row := &x.Rows[i]
		if row.Mode != prompt.Direct {
			continue
		}
		id, err := instance.ParseID(row.ID)
		if err != nil {
			t.Fatal(err)
		}
		id.Encoding = surface.NL
		if right[id.String()] == nil {
			right[id.String()] = map[surface.Encoding]float64{}
		}
		right[id.String()][row.Encoding] = 0
		if row.Score.Strict {
			right[id.String()][row.Encoding] = 1
		}
	}
	sum, n := 0.0, 0
	for _, pair := range right {
		if len(pair) == 2 {
			sum += pair[surface.Matrix] - pair[surface.NL]
			n++
		}
	}
	v := tableOf(t, r, "encodings").cell(t, 0, "matrix_nl")
	if v.N != n || !near(v.V, 100*sum/float64(n)) {
		t.Errorf("%+v, want %v of %d pairs", v, 100*sum/float64(n), n)
	}
	if !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.Contains(s, "different questions") }) {
		t.Errorf("nothing is said about different questions: %q", r.Notes)
	}
	for i := range x.Rows {
		x.Rows[i].Score.Strict = true
	}
	if v := tableOf(t, makeReport(t, Options{}, x), "encodings").cell(t, 0, "matrix_nl"); v.V != 0 || v.Low > -1 || v.High < 1 {
		t.Errorf("pairs that are all right make %+v", v)
	}
}

// TestFront compares with the definition.
func TestFront(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var series []chart.Series
		for range rnd.IntN(9) {
			series = append(series, chart.Series{Points: []chart.Point{{X: chart.Exact(float64(rnd.IntN(5))), Y: chart.Exact(float64(rnd.IntN(5)))}}})
		}
		type at struct{ x, y float64 }
		want := map[at]bool{}
		for _, a := range series {
			p, beaten := a.Points[0], false
			for _, b := range series {
				q := b.Points[0]
				if q.X.V <= p.X.V && q.Y.V >= p.Y.V && (q.X.V < p.X.V || q.Y.V > p.Y.V) {
					beaten = true
				}
			}
			if !beaten {
				want[at{p.X.V, p.Y.V}] = true
			}
		}
		got := map[at]bool{}
		for _, p := range front(series) {
			got[at{p.X.V, p.Y.V}] = true
		}
		if len(got) != len(want) {
			t.Fatalf("front %v, want %v", got, want)
		}
		for k := range want {
			if !got[k] {
				t.Fatalf("front %v, want %v", got, want)
			}
		}
	}
}

// TestOddRuns makes everything of runs in which something is not as usual.
func TestOddRuns(t *testing.T) {
	whole := func() *run.Run { return madeRun(t, "made:small", 1, surface.NL) }
	change := func(f func(*run.Run)) []*run.Run {
		r := whole()
		f(r)
		return []*run.Run{r}
	}
	for _, c := range []struct {
		name string
		runs []*run.Run
		note string // in the notes
	}{
		{"none", nil, "No runs"},
		{"empty", change(func(r *run.Run) { r.Rows = nil }), "no questions were asked"},
		{"no configuration", []*run.Run{{}}, ""},
		{"nothing answered", change(func(r *run.Run) {
			for i := range r.Rows {
				r.Rows[i].Reply, r.Rows[i].Score = nil, nil
			}
		}), fmt.Sprintf("%d of %[1]d questions have no reply", len(category.Table))},
		{"not scored", change(func(r *run.Run) {
			for i := range r.Rows {
				r.Rows[i].Score = nil
			}
		}), fmt.Sprint(len(category.Table), " replies have no score and are in no table, and the row is not ranked")},
		{"infrastructure errors", change(func(r *run.Run) {
			for i := range r.Rows {
				s := r.Rows[i].Score
				*s = run.Score{Key: s.Key, Verdict: verdict.Verdict{Topic: s.Topic, Result: answer.Result{Outcome: answer.InfraError}}}
			}
		}), fmt.Sprint(len(category.Table), " replies were lost")},
		{"one question", change(func(r *run.Run) { r.Rows = r.Rows[:1] }), ""},
		{"one node count", change(func(r *run.Run) {
			r.Rows = slices.DeleteFunc(r.Rows, func(x run.Row) bool { return x.Instance.N != r.Rows[0].Instance.N })
		}), ""},
		{"different questions", []*run.Run{whole(), change(func(r *run.Run) { r.Rows = r.Rows[:10] })[0]}, "different questions"},
		{"twice the same", []*run.Run{whole(), whole()}, ""},
		{"a long name", change(func(r *run.Run) {
			r.Config.Model, r.Rows = "made:"+strings.Repeat("models/", 10)+"checkpoint-12000", nil
		}), "models/checkpoint-12000, direct"},
		{"ids that cannot be read", change(func(r *run.Run) {
			for i := range r.Rows {
				in := *r.Rows[i].Instance
				in.ID, in.Density, in.Category = "x"+in.ID, "dense", "unknown"
				r.Rows[i].Instance = &in
			}
		}), ""},
	} {
		for _, paper := range []bool{false, true} {
			r := makeReport(t, Options{Paper: paper}, c.runs...)
			if c.note != "" && !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.Contains(s, c.note) }) {
				t.Errorf("%s: the notes %q do not say %q", c.name, r.Notes, c.note)
			}
			skeleton(t, htmlOf(t, r))
			for _, f := range Formats() {
				files, err := r.Files(f)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				for _, x := range files {
					if text := string(x.Data); strings.Contains(text, "NaN") || strings.Contains(text, "+Inf") {
						t.Errorf("%s: %s has numbers that are none", c.name, x.Name)
					}
				}
			}
		}
		names := map[string]bool{}
		for _, a := range makeReport(t, Options{}, c.runs...).Arms {
			if names[a.Name] {
				t.Errorf("%s: two arms are called %s", c.name, a.Name)
			}
			names[a.Name] = true
		}
	}
}

// TestMissingIsNotZero checks that a question that was not asked has no value anywhere.
func TestMissingIsNotZero(t *testing.T) {
	x := madeRun(t, "made:small", 1, surface.NL)
	x.Rows = slices.DeleteFunc(x.Rows, func(r run.Row) bool { return r.Instance.Level == "L3" })
	levels := tableOf(t, makeReport(t, Options{}, x), "levels")
	for _, c := range []string{"l3", "slope"} {
		if v := levels.cell(t, 0, c); !v.Missing() {
			t.Errorf("%s is %v", c, v)
		}
	}
	var b strings.Builder
	if err := levels.shown().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "| – |") {
		t.Errorf("missing values are not shown as such:\n%s", b.String())
	}
}

// TestReliability: a model that goes by the wording has all of its variance there, one that
// goes by the structure none.
func TestReliability(t *testing.T) {
	if r := makeReport(t, Options{}, madeRun(t, "made:small", 1, surface.NL)); slices.ContainsFunc(r.Tables(), func(t *Table) bool { return t.ID == "reliability" }) {
		t.Error("one wording and one sample have a table")
	}
	x := madeRun(t, "made:large", 4, surface.NL)
	var rows []run.Row
	for i := range x.Rows {
		if x.Rows[i].Mode != x.Rows[0].Mode || x.Rows[i].Reply == nil {
			continue
		}
		for wording := range 3 {
			row := x.Rows[i]
			in, id := *row.Instance, instance.NewID("heldout", row.Instance.Category, len(rows), 11)
			in.SurfaceSeed = uint64(len(rows) + 1)
			row.Instance, row.ID = &in, id.String()
			row.Score = &run.Score{Key: row.Key, Verdict: row.Score.Verdict}
			row.Score.Outcome = answer.Wrong
			if wording%2 == 0 {
				row.Score.Outcome = answer.StrictlyRight
			}
			row.Score.Judgements = row.Score.Outcome.Judgements()
			rows = append(rows, row)
		}
	}
	x.Rows = rows
	got := tableOf(t, makeReport(t, Options{}, x), "reliability")
	for column, want := range map[string]float64{"structures": float64(len(rows) / 3), "surfaces": 0, "structure": 0, "wording": 100} {
		if v := got.cell(t, 0, column).V; !near(v, want) {
			t.Errorf("by wording: %s is %v, want %v", column, v, want)
		}
	}
	for _, column := range []string{"samples", "sampling"} {
		if v := got.cell(t, 0, column); !v.Missing() {
			t.Errorf("by wording: %s is %v", column, v)
		}
	}
	for i := range rows {
		rows[i].Score.Outcome = []answer.Outcome{answer.StrictlyRight, answer.Wrong}[i/3%2]
		rows[i].Score.Judgements = rows[i].Score.Outcome.Judgements()
	}
	got = tableOf(t, makeReport(t, Options{}, x), "reliability")
	for _, n := range []int{9, len(rows)} {
		x.Rows = rows[:n]
		if notes := makeReport(t, Options{}, x).Notes; strings.Contains(strings.Join(notes, "\n"), "fewer than ten structures; their intervals are too narrow") != (n == 9) {
			t.Errorf("%d answers: %q", n, notes)
		}
	}
	for column, want := range map[string]float64{"surfaces": 100, "structure": 100, "wording": 0} {
		if v := got.cell(t, 0, column).V; !near(v, want) {
			t.Errorf("by structure: %s is %v, want %v", column, v, want)
		}
	}
}

// TestWorstCase is what missing replies could change, at least and at most.
func TestWorstCase(t *testing.T) {
	x := madeRun(t, "made:small", 1, surface.NL)
	if r := makeReport(t, Options{}, x); slices.ContainsFunc(r.Tables(), func(t *Table) bool { return t.ID == "missing" }) {
		t.Error("there is a table of what is not missing")
	}
	right, n, missing := 0, 0, 0
	for i := range x.Rows {
		row := &x.Rows[i]
		if row.Mode != prompt.Direct || row.Instance.Level != "L2" {
			continue
		}
		switch n++; {
		case n%3 == 0:
			row.Reply, row.Score = nil, nil
			missing++
		case row.Score.Strict:
			right++
		}
	}
	bounds := tableOf(t, makeReport(t, Options{}, x), "missing")
	if len(bounds.Rows) != 2 || bounds.Rows[0].Keys[1] != "L2" || bounds.Rows[1].Keys[1] != "all" {
		t.Fatalf("%+v", bounds.Rows)
	}
	for column, want := range map[string]float64{"missing": float64(missing), "least": 100 * float64(right) / float64(n), "most": 100 * float64(right+missing) / float64(n)} {
		if v := bounds.cell(t, 0, column).V; !near(v, want) {
			t.Errorf("%s is %v, want %v", column, v, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Percent, 94.25, "94.2"}, {Percent, 100, "100.0"}, {Points, -1.25, "−1.2"}, {Points, 1.35, "+1.4"}, {Points, -0.01, "0.0"},
		{Tokens, 1234567, "1,234,567"}, {Tokens, 12.34, "12.3"}, {Tokens, 7, "7"}, {Dollars, 0.00123, "0.00123"}, {Dollars, 12, "12.00"},
		{Number, 1300, "1,300"}, {Number, 1.5, "1.5"}, {Tokens, math.Inf(1), "∞"}, {Percent, math.NaN(), "–"},
	} {
		if got := c.unit.Text(c.v); got != c.want {
			t.Errorf("%v in %q is %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// TestOpenInterval: an interval without an upper end has none for programs, and says so to
// those who read.
func TestOpenInterval(t *testing.T) {
	x := &Table{ID: "x", Title: "x", Keys: []string{"a"}, Columns: []Column{{ID: "c", Name: "c", Unit: Tokens}},
		Rows: []Row{{Keys: []string{"k"}, Cells: []chart.Value{{V: 5, Low: 2, High: math.Inf(1), N: 3}}}}}
	var csv bytes.Buffer
	var p page.Page
	if err := x.shown().CSV(&csv); err != nil {
		t.Fatal(err)
	}
	x.shown().HTML(&p)
	if want := "run,k,5,2,,3\n"; !strings.HasSuffix(csv.String(), want) {
		t.Errorf("got %s, want %s", csv.String(), want)
	}
	if want := `title="5 (2 to ∞), n = 3"`; !strings.Contains(p.String(), want) {
		t.Errorf("no %s in %s", want, p.Bytes())
	}
}

// TestAxes: answers are counted by hops and by operations, where the question says them.
func TestAxes(t *testing.T) {
	made := madeRun(t, "made:small", 2, surface.NL)
	old := htmlOf(t, makeReport(t, Options{}, made))
	for _, id := range []string{"table-depth", "table-operations"} {
		if strings.Contains(old, id) {
			t.Errorf("%s of questions of cb1, which do not say it", id)
		}
	}
	for i := range made.Rows {
		in := *made.Rows[i].Instance
		in.Version, in.Depth, in.Operations = "cb2", i%4, 1+i%2
		made.Rows[i].Instance = &in
	}
	r := makeReport(t, Options{}, made)
	for id, of := range map[string]func(*instance.Instance) string{
		"depth":      func(in *instance.Instance) string { return fmt.Sprintf("h = %d", in.Depth) },
		"operations": func(in *instance.Instance) string { return fmt.Sprintf("k = %d", in.Operations) },
	} {
		x := tableOf(t, r, id)
		if want := map[string]int{"depth": 3, "operations": 2}[id]; len(x.Columns) != want {
			t.Errorf("%s: %d columns, want %d", id, len(x.Columns), want)
		}
		for k, a := range r.Arms {
			for c, column := range x.Columns {
				right := only(a.scored, func(it *run.Row) bool { return of(it.Instance) == column.Name && it.Score.Strict })
				n := only(a.scored, func(it *run.Row) bool { return of(it.Instance) == column.Name })
				if v := x.Rows[k].Cells[c]; v.N != len(n) || math.Abs(v.V-100*float64(len(right))/float64(len(n))) > 1e-9 {
					t.Errorf("%s, %s, %s: %+v, want %d of %d", id, a.Name, column.Name, v, len(right), len(n))
				}
			}
		}
	}
}

// TestEdgesRead: what right programs misread is counted, and told from what wrong ones do.
func TestEdgesRead(t *testing.T) {
	made := madeRun(t, "made:small", 3, surface.NL)
	var right, wrong, all [2]int // edges, read right
	luck := 0
	for i := range made.Rows {
		s := made.Rows[i].Score
		if made.Rows[i].Mode != prompt.Ein || s == nil || i%5 == 0 {
			continue
		}
		s.Reading = &verdict.Reading{Edges: 10 + i%3, Right: 10 - i%4, Added: i % 2}
		to := &wrong
		if s.Strict {
			if to = &right; s.Reading.Right < s.Reading.Edges || s.Reading.Added > 0 {
				luck++
			}
			all[0]++
		}
		to[0], to[1] = to[0]+s.Reading.Edges, to[1]+s.Reading.Right
	}
	x := tableOf(t, makeReport(t, Options{}, made), "edges-read")
	if len(x.Rows) != 1 || wrong[0] == 0 {
		t.Fatalf("%d rows", len(x.Rows))
	}
	for name, want := range map[string]float64{"n_right": float64(all[0]), "right": 100 * float64(right[1]) / float64(right[0]),
		"wrong": 100 * float64(wrong[1]) / float64(wrong[0]), "lucky": 100 * float64(luck) / float64(all[0])} {
		if got := x.cell(t, 0, name).V; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestDifferences: a note counts the rows that have no note of their own.
func TestDifferences(t *testing.T) {
	arms := []*Arm{{Name: "first", all: []*run.Row{{Key: run.Key{ID: "q"}, Encoding: surface.NL}}}}
	for range 7 {
		arms = append(arms, &Arm{Name: "other"})
	}
	list := differences(arms)
	if got := list[len(list)-1]; got != "1 more row was not asked the same questions as first." {
		t.Error(got)
	}
}
