package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ein/bench/question/instance"
	"ein/internal/job"
)

// The files of a run.
const (
	ConfigFile    = "run.json"
	InstancesFile = "instances.jsonl"
	RepliesFile   = "replies.jsonl"
	ScoresFile    = "scores.jsonl"
	LogFile       = "log.jsonl"
	BilledFile    = "billed.json"
	lockFile      = "lock"
	tornFile      = RepliesFile + ".torn" // tails that were taken off
	badFile       = RepliesFile + ".bad"  // lines that Repair has taken out
)

// ErrNoRun is a folder without a run in it.
var ErrNoRun = errors.New("there is no run in it: it has no " + ConfigFile)

// FormatError is a run of another version of the format.
type FormatError struct {
	File  string
	Found int
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: the run has format %d, and this program reads formats %d to %d", e.File, e.Found, firstFormat, Format)
}

// CorruptError is a line that cannot have been written so. Nothing of the file is
// used: Repair says what can be.
type CorruptError struct {
	File   string
	Line   int   // from 1
	Offset int64 // of the line, in bytes
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s: line %d, at byte %d: %v", e.File, e.Line, e.Offset, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Read reads a run and changes nothing, so that a run that is being written can
// be read as well. An unfinished line at the end of the replies does not count; any
// other line that is not as it was written is a *CorruptError.
func Read(dir string) (*Run, error) {
	r, err := ReadReplies(dir)
	if err != nil {
		return nil, err
	}
	scores, err := ReadScores(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	byKey := make(map[Key]*Score, len(scores))
	for i := range scores {
		byKey[scores[i].Key] = &scores[i]
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Reply == nil || byKey[row.Key] == nil {
			continue
		}
		row.Score = byKey[row.Key]
		switch of := row.Score.Of; {
		case of != row.Reply.sum && (of != "" || r.Config.Format > firstFormat):
			return nil, &StaleError{filepath.Join(dir, ScoresFile), row.Key}
		case row.Score.Scoring != Scoring:
			r.Others++
		}
	}
	return r, nil
}

// StaleError is a score that is not of the reply that is there.
type StaleError struct {
	File string
	Key  Key
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s: the score of %s, %s, sample %d is not of the reply that is there", e.File, e.Key.ID, e.Key.Mode, e.Key.Sample)
}

// ChangedError is a configuration under which the replies of a run were not asked.
type ChangedError struct {
	File        string
	Line        int // of the replies
	Found, Want string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s: the reply in line %d of %s was asked under another configuration: it has the digest %s, and the file %s", e.File, e.Line, RepliesFile, e.Found, e.Want)
}

// ReadReplies is Read without the scores, for those who make them.
func ReadReplies(dir string) (*Run, error) {
	r, _, err := read(dir)
	return r, err
}

// read is ReadReplies. The second result is the offset where the
// torn tail begins, which is the end of the replies when there is none.
func read(dir string) (*Run, int64, error) {
	r, err := readFrame(dir)
	if err != nil {
		return nil, 0, err
	}
	name := filepath.Join(dir, RepliesFile)
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	end, err := r.addReplies(f)
	return r, end, err
}

// addReplies reads the file of replies into the rows.
func (r *Run) addReplies(f io.Reader) (end int64, err error) {
	c := newCollector(r)
	// A bad line is the tail when no other comes after it.
	var bad *CorruptError
	err = job.Lines(f, func(l *job.Line) error {
		if bad != nil {
			return bad
		}
		reply, err := c.take(l)
		if changed := (*ChangedError)(nil); errors.As(err, &changed) {
			return err
		}
		if err != nil {
			bad = &CorruptError{filepath.Join(r.Dir, RepliesFile), l.Number, l.Offset, err}
			r.Torn = l.Length
			if errors.Is(err, errForeign) {
				return bad // it was written in full, so that nothing is torn
			}
			return nil
		}
		c.rows[reply.Key].Reply = reply
		end = l.Offset + l.Length
		return nil
	})
	if err != nil {
		return 0, err
	}
	return end, nil
}

// errForeign is a reply that is sound and does not belong where it is.
var errForeign = errors.New("it does not belong here")

// collector holds replies to what a run asks for.
type collector struct {
	rows map[Key]*Row
	line map[Key]int
	dir  string
	runs []string // digests of the configurations
}

func newCollector(r *Run) *collector {
	c := &collector{make(map[Key]*Row, len(r.Rows)), map[Key]int{}, r.Dir, nil}
	for _, v := range r.Config.versions() {
		c.runs = append(c.runs, v.digest())
		if v.Scoring == "" {
			c.runs = append(c.runs, "") // it was begun in format 1
		}
	}
	for i := range r.Rows {
		c.rows[r.Rows[i].Key] = &r.Rows[i]
	}
	return c
}

// take reads the reply of a line.
func (c *collector) take(l *job.Line) (*Reply, error) {
	switch {
	case l.TooLong:
		return nil, fmt.Errorf("it is longer than %d bytes", job.MaxLine)
	case !l.Terminated:
		return nil, errors.New("it is cut off")
	}
	reply := &Reply{}
	var err error
	if reply.sum, err = unseal(l.Text, reply); err != nil {
		return nil, err
	}
	if !slices.Contains(c.runs, reply.Run) {
		return nil, &ChangedError{filepath.Join(c.dir, ConfigFile), l.Number, reply.Run, c.runs[len(c.runs)-1]}
	}
	first, twice := c.line[reply.Key]
	switch {
	case c.rows[reply.Key] == nil:
		return nil, fmt.Errorf("the run does not ask %s, %s, sample %d: %w", reply.ID, reply.Mode, reply.Sample, errForeign)
	case twice:
		return nil, fmt.Errorf("the reply to %s, %s, sample %d is in line %d already: %w", reply.ID, reply.Mode, reply.Sample, first, errForeign)
	}
	c.line[reply.Key] = l.Number
	return reply, nil
}

// readFrame reads what a run asks: its configuration, and the rows without
// replies.
func readFrame(dir string) (*Run, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, InstancesFile)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var list []*instance.Instance
	for in, err := range instance.Read(f) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, in)
	}
	r, err := newRun(dir, c, list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// newRun is a run without replies.
func newRun(dir string, c *Config, list []*instance.Instance) (*Run, error) {
	if want := c.Instances.Count * len(c.Encodings); len(list) != want {
		return nil, fmt.Errorf("%d instances, expected %d: %d in %d encodings", len(list), want, c.Instances.Count, len(c.Encodings))
	}
	r := &Run{Dir: dir, Config: *c, Rows: make([]Row, 0, len(list)*len(c.Modes)*c.Samples)}
	seen := make(map[string]bool, len(list))
	for _, in := range list {
		id, err := instance.ParseID(in.ID)
		switch {
		case err != nil:
			return nil, err
		case seen[in.ID]:
			return nil, fmt.Errorf("the instance %s is there twice", in.ID)
		case !slices.Contains(c.Encodings, id.Encoding):
			return nil, fmt.Errorf("the instance %s has the encoding %s, and the run is in %v", in.ID, id.Encoding, c.Encodings)
		}
		seen[in.ID] = true
		for _, mode := range c.Modes {
			for sample := range c.Samples {
				r.Rows = append(r.Rows, Row{Instance: in, Key: Key{in.ID, mode, sample}, Encoding: id.Encoding})
			}
		}
	}
	return r, nil
}

// maxConfig bounds run.json, which has the prompts in it.
const maxConfig = 16 << 20

func readConfig(dir string) (*Config, error) {
	name := filepath.Join(dir, ConfigFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRun)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%s: it is longer than %d bytes", name, maxConfig)
	}
	return parseConfig(name, b)
}

func parseConfig(name string, b []byte) (*Config, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	if head.Format < firstFormat || head.Format > Format {
		return nil, &FormatError{name, head.Format}
	}
	c := &Config{}
	if err := strict(bytes.TrimSpace(b), c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// MaxSamples is the most samples of a run.
const MaxSamples = 10_000

// check holds a configuration to what the rest relies on.
func (c *Config) check() error {
	switch {
	case c.Format > firstFormat && c.Scoring == "" && len(c.Accepted) == 0:
		return errors.New("no digest of the scoring")
	case c.Model == "":
		return errors.New("no model")
	case len(c.Modes) == 0:
		return errors.New("no modes")
	case len(c.Encodings) == 0:
		return errors.New("no encodings")
	case c.Samples < 1 || c.Samples > MaxSamples:
		return fmt.Errorf("%d samples, expected 1 to %d", c.Samples, MaxSamples)
	case c.Instances.Count < 1:
		return errors.New("no instances")
	}
	if twice(c.Modes) || twice(c.Encodings) {
		return errors.New("a mode or an encoding is there twice")
	}
	return nil
}

func twice[T comparable](list []T) bool {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return true
		}
	}
	return false
}

// billed is the content of BilledFile.
type billed struct {
	Most float64 `json:"most"`
}

// ReadBilled is the most dollars that requests without a reply may have cost: those that
// failed, and those on their way when the run was last heard of. It is 0 for a run
// without a bound on its cost.
func ReadBilled(dir string) (float64, error) {
	name := filepath.Join(dir, BilledFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var b billed
	if err == nil {
		err = strict(text, &b)
	}
	if err == nil && !(b.Most >= 0) {
		err = fmt.Errorf("%g dollars, expected 0 or more", b.Most)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return b.Most, nil
}

// WriteBilled replaces what ReadBilled gives.
func WriteBilled(dir string, most float64) error {
	b, err := marshal(&billed{most})
	if err != nil {
		return err
	}
	return job.ReplaceBytes(filepath.Join(dir, BilledFile), append(b, '\n'))
}

// ReadScores reads the scores of a run. The error is fs.ErrNotExist when it has
// not been scored.
func ReadScores(dir string) ([]Score, error) {
	name := filepath.Join(dir, ScoresFile)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var list []Score
	err = job.Lines(f, func(l *job.Line) error {
		s, err := parseScore(l)
		if err != nil {
			return &CorruptError{name, l.Number, l.Offset, err}
		}
		list = append(list, *s)
		return nil
	})
	return list, err
}

// parseScore reads a line. One that ends without a checksum has to be of format 1, and
// then says nothing of its reply.
func parseScore(l *job.Line) (*Score, error) {
	if l.TooLong {
		return nil, fmt.Errorf("it is longer than %d bytes", job.MaxLine)
	}
	s := &Score{}
	_, err := unseal(l.Text, s)
	if err != nil && strict(l.Text, s) == nil && s.Of == "" && s.Scoring == "" {
		err = nil
	}
	if err == nil && s.Judgements != s.Outcome.Judgements() {
		err = fmt.Errorf("the outcome %q is not what strict and lenient say", s.Outcome)
	}
	return s, err
}

// WriteScores replaces the scores of a run: a reader sees the old ones or the new.
func WriteScores(dir string, scores []Score) error {
	return job.Replace(filepath.Join(dir, ScoresFile), func(w io.Writer) error {
		for i := range scores {
			b, err := seal(&scores[i].Key, &scores[i])
			if err != nil {
				return err
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
}
