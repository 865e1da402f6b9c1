// Package export writes runs in the formats of other tools.
//
// A run asks each question in several modes and encodings; other tools want one task for
// each. [Parts] divides a run into such a [Part], whose methods write it:
//
//   - WriteInspect writes a log of inspect_ai. A sample of a question is an epoch there.
//     The log has the times of requests, from the [Times] that [ReadTimes] finds in the log
//     of the run.
//   - WriteHarnessTask, WriteHarnessData and WriteHarnessSamples write a task of
//     lm-evaluation-harness, the questions it reads, and the samples it would have logged;
//     [WriteHarnessResults] writes the results of several parts.
//
// [WriteLines] writes a whole run as JSONL, for tools that have no format of their own.
// Names of files are those by which each tool finds its own (InspectName, HarnessData,
// HarnessResults).
//
// The package asks no model and scores nothing: scores are those of the run, and the metric
// of a task for the harness, which can only compare texts, is a lower bound. A missing
// reply stays visible: as a null in JSONL, as a sample with an error for inspect_ai, as a
// number left out for the harness. Texts are read row by row from the folder of the run, so
// a million replies are never in memory together.
package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ein/bench/ask/run"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
)

// Part is the rows of a run in one mode and encoding, which other tools call a task.
type Part struct {
	Run      *run.Run
	Mode     prompt.Mode
	Encoding surface.Encoding
	Rows     []*run.Row
}

// Parts returns a part for each mode and encoding of the configuration, modes outermost, in
// its order.
func Parts(r *run.Run) []*Part {
	var out []*Part
	for _, mode := range r.Config.Modes {
		for _, encoding := range r.Config.Encodings {
			p := &Part{Run: r, Mode: mode, Encoding: encoding}
			for i := range r.Rows {
				if row := &r.Rows[i]; row.Mode == mode && row.Encoding == encoding {
					p.Rows = append(p.Rows, row)
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// Task returns the name of the task, closurebench_MODE_ENCODING.
func (p *Part) Task() string { return fmt.Sprintf("closurebench_%s_%s", p.Mode, p.Encoding) }

// each calls yield for each row of a part, also with the texts.
func (p *Part) each(yield func(row, full *run.Row) error) error {
	return p.Run.Each(func(row *run.Row) bool { return row.Mode == p.Mode && row.Encoding == p.Encoding }, yield)
}

// Times is when a run was begun and when it was last written to, and what its log says of
// each reply.
type Times struct {
	Begin, End time.Time
	log        *os.File
	replies    map[*run.Row]int64 // where the log has them
}

// ReadTimes takes the times from the log of a run, or from run.json where there is
// none. The log stays open.
func ReadTimes(r *run.Run) (*Times, error) {
	info, err := os.Stat(filepath.Join(r.Dir, run.ConfigFile))
	if err != nil {
		return nil, err
	}
	made := &Times{Begin: info.ModTime(), End: info.ModTime()}
	f, err := os.Open(filepath.Join(r.Dir, run.LogFile))
	if errors.Is(err, fs.ErrNotExist) {
		return made, nil
	}
	if err != nil {
		return nil, err
	}
	t := &Times{log: f, replies: map[*run.Row]int64{}}
	find := r.Finder()
	d := json.NewDecoder(f)
	for {
		var e run.Event
		at := d.InputOffset()
		// The log can end in the middle of a line. What is before is enough.
		if err := d.Decode(&e); err != nil {
			break
		}
		if t.Begin.IsZero() {
			t.Begin = e.Time
		}
		t.End = e.Time
		if e.Event == "reply" && e.Key != nil {
			if row := find(e.Key); row != nil {
				t.replies[row] = at
			}
		}
	}
	if t.Begin.IsZero() {
		return made, f.Close()
	}
	return t, nil
}

// Close closes the log.
func (t *Times) Close() error {
	if t.log == nil {
		return nil
	}
	return t.log.Close()
}

// event returns the event of the log that brought a reply. It has no time if there is none, as for
// a reply from a cache.
func (t *Times) event(row *run.Row) (e run.Event, err error) {
	at, ok := t.replies[row]
	if !ok {
		return e, nil
	}
	if err := json.NewDecoder(io.NewSectionReader(t.log, at, math.MaxInt64-at)).Decode(&e); err != nil {
		return e, fmt.Errorf("%s: at byte %d: %w", t.log.Name(), at, err)
	}
	return e, nil
}

// text shows a JSON value: a string without its quotes, anything else as it is written.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(bytes.TrimSpace(v))
}

// provider writes the name of a model as other tools do: PROVIDER/NAME.
func provider(name string) string { return strings.Replace(name, ":", "/", 1) }
