package benchmark

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/prompt"
	"ein/bench/result/report"
	"ein/internal/chart"

	"ein/cmd/ein/internal/cli"
)

func watchVerb(a *cli.App) *cobra.Command {
	f := listenFlags{}
	cmd := &cobra.Command{
		Use:   "watch DIR...",
		Short: "Serve a live page of runs in progress",
		Long: `Serves a page of runs on this machine: the tables and figures of ein bench report so
far, and the rate of replies. The page reloads by itself. Open it while ein bench eval
writes; it changes nothing. Replies are scored as they come, except Python programs,
whose scores appear once ein bench score has made them.`,
		Example: `  ein bench watch runs/gpt
  ein bench watch runs/* --listen 127.0.0.1:8080`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error { return watch(ctx, a, &f, args) }),
	}
	f.add(cmd)
	a.JSONFlag(cmd, "print the address as one JSON object")
	return cmd
}

// watch serves a page of the runs until the context ends. It reads them once before it serves, so
// that a folder that is no run is an error and not a broken page.
func watch(ctx context.Context, a *cli.App, f *listenFlags, dirs []string) error {
	if _, err := readRuns(a, dirs); err != nil {
		return err
	}
	w := &watcher{judge: verdict.New(verdict.Options{})}
	for _, dir := range dirs {
		w.runs = append(w.runs, &watched{dir: dir, scores: map[run.Key]*run.Score{}, from: time.Now()})
	}
	served, err := f.serve(ctx, a, w)
	if err != nil {
		return err
	}
	defer func() { _ = served.Close() }()
	err = a.Result(map[string]string{"address": served.address}, func() string { return served.address + "\n" })
	if err != nil {
		return err
	}
	return served.wait(ctx)
}

// watcher serves the page. It makes a new one only if the last is older than again.
type watcher struct {
	sync.Mutex
	judge *verdict.Judge
	runs  []*watched
	last  *report.Report // what page shows
	page  []byte
	made  time.Time // page
}

// again is how often the page is made, and how often the browser reloads it.
const again = 5 * time.Second

// ServeHTTP sends the page. The lock makes all browsers wait for one page rather than make one
// each.
func (w *watcher) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.Lock()
	defer w.Unlock()
	out.Header().Set("Refresh", fmt.Sprint(again.Seconds())) // also of an error, which may pass
	if time.Since(w.made) > again {
		page, err := w.make(r.Context())
		if err != nil {
			http.Error(out, err.Error(), http.StatusInternalServerError)
			return
		}
		w.page, w.made = page, time.Now()
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = out.Write(w.page) // who has gone needs none
}

// make renders a report of the runs as they are now, with their progress on top. The last report
// is passed on, as it has the questions described already.
func (w *watcher) make(ctx context.Context) ([]byte, error) {
	t := &report.Table{ID: "progress", Title: "Progress", Keys: []string{"run", "model", "last failure"},
		Columns: []report.Column{{ID: "asked", Name: "asked", Unit: report.Number}, {ID: "there", Name: "replies", Unit: report.Number}, {ID: "done", Name: "done", Unit: report.Percent},
			{ID: "rate", Name: "a minute", Unit: report.Number}, {ID: "left", Name: "minutes left", Unit: report.Number}, {ID: "retries", Name: "retries", Unit: report.Number}, {ID: "failed", Name: "given up on", Unit: report.Number}},
		Caption: "As of " + time.Now().Format(time.DateTime) + ". Replies a minute are those of the last five; retries and failures are since the page was opened."}
	var runs []*run.Run
	var err error
	for _, x := range w.runs {
		r, err := run.ReadLight(x.dir)
		if err == nil {
			err = x.score(ctx, r, w.judge)
		}
		if err == nil {
			err = x.read()
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
		there := r.Replies()
		rate := x.rate(time.Now())
		left := chart.Missing()
		if rate > 0 {
			left = chart.Exact(float64(len(r.Rows)-there) / rate)
		}
		n := func(n int) chart.Value { return chart.Exact(float64(n)) }
		t.Rows = append(t.Rows, report.Row{Keys: []string{filepath.Base(x.dir), r.Config.Model, x.last},
			Cells: []chart.Value{n(len(r.Rows)), n(there), chart.Exact(100 * float64(there) / float64(len(r.Rows))), chart.Exact(rate), left, n(x.retries), n(x.failed)}})
	}
	w.last, err = report.New(runs, report.Options{Before: w.last, Live: &report.Section{ID: "progress", Short: "Progress", Title: "Progress", Tables: []*report.Table{t}}})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = w.last.HTML(&b)
	return b.Bytes(), err
}

// watched is a run and what is kept of it from page to page.
type watched struct {
	dir    string
	scores map[run.Key]*run.Score

	from            time.Time // what is earlier in the log does not count
	offset          int64     // in the log
	came            []time.Time
	retries, failed int
	last            string // failure
}

// score scores in memory the replies that have no score yet, except those in Python, which need a
// sandbox.
func (x *watched) score(ctx context.Context, r *run.Run, j *verdict.Judge) error {
	err := r.Each(func(row *run.Row) bool {
		return row.Reply != nil && row.Score == nil && row.Mode != prompt.Python && x.scores[row.Key] == nil
	}, func(row, full *run.Row) error {
		q, err := verdict.NewQuestion(full.Instance, false)
		if err != nil {
			return err
		}
		v, err := j.Reply(ctx, q, &verdict.Line{Reply: full.Reply.Reply, Mode: row.Mode, Finish: string(full.Reply.Finish)})
		if err == nil {
			x.scores[row.Key] = &run.Score{Key: row.Key, Verdict: *v}
		}
		return err
	})
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Reply != nil && row.Score == nil {
			row.Score = x.scores[row.Key]
		}
	}
	return err
}

// read reads what has been appended to the log since the last page.
func (x *watched) read() error {
	f, err := os.Open(filepath.Join(x.dir, run.LogFile))
	if os.IsNotExist(err) {
		return nil // of a run that was made elsewhere
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewReader(io.NewSectionReader(f, x.offset, 1<<62))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil // the rest of a line comes later
		}
		x.offset += int64(len(line))
		var e run.Event
		if json.Unmarshal(line, &e) != nil || e.Time.Before(x.from.Add(-recent)) {
			continue
		}
		switch e.Event {
		case "reply":
			x.came = append(x.came, e.Time)
		case "retry":
			x.retries++
		case "gave_up", "rejected":
			x.failed++
		}
		if e.Class != "" { // its name begins the message of a request
			x.last = shown(e.Class + strings.TrimPrefix(": "+e.Message, ": "+e.Class))
		}
	}
}

// recent is the window of the rate.
const recent = 5 * time.Minute

// rate returns the replies a minute within the window.
func (x *watched) rate(now time.Time) float64 {
	x.came = slices.DeleteFunc(x.came, func(t time.Time) bool { return now.Sub(t) > recent })
	if len(x.came) == 0 {
		return 0
	}
	return float64(len(x.came)) / max(now.Sub(x.came[0]), time.Second).Minutes()
}
