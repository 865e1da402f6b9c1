package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"ein/bench/question/instance"
	"ein/internal/codes"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/lists"
	"ein/lang/diag"
)

// The files of a run.
const (
	ConfigFile    = "run.json"
	InstancesFile = "instances.jsonl"
	RepliesFile   = "replies.jsonl"
	ScoresFile    = "scores.jsonl"
	LogFile       = "log.jsonl"
	BilledFile    = "billed.json"
	BatchesFile   = "batches.json"
	lockFile      = "lock"
	tornFile      = RepliesFile + ".torn" // tails that were taken off
	badFile       = RepliesFile + ".bad"  // lines that Repair has taken out
)

// Files are the files of a run that hold what cannot be had again for nothing, or are made of it.
var Files = []string{ConfigFile, InstancesFile, RepliesFile, ScoresFile, LogFile, BilledFile, BatchesFile}

// ErrNoRun is the error of a folder without a run.
var ErrNoRun = errors.New("this is not a run: it has no " + ConfigFile)

// FileError is the error of a file in another version of the format, or one that does not belong to the
// others of the run.
type FileError struct {
	File, What, Hint string
	Code             diag.Code
}

func (e *FileError) Error() string { return e.File + ": " + e.What }

// CorruptError is the error of a line that cannot have been written like this. Nothing in the file is
// used; Repair says what can be saved.
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

// Read reads a run and changes nothing, so a run in progress can be read too. An unfinished line at
// the end of the replies does not count; any other damaged line is a *CorruptError.
func Read(dir string) (*Run, error) { return readScored(dir, false) }

// ReadLight is Read without what takes most memory: the texts of instances, replies and scores. Rows
// share what they have in common, so ids are only in the row, seeds in Row.Structure and Row.Surface,
// and usage in Row.Spent. Load returns a complete row.
func ReadLight(dir string) (*Run, error) { return readScored(dir, true) }

// readScored refuses scores of other replies, and counts those made by other rules. Scores of the
// first format do not say to which reply they belong.
func readScored(dir string, light bool) (*Run, error) {
	r, _, err := read(dir, light)
	if err != nil {
		return nil, err
	}
	find := r.Finder()
	shared := map[string]*Score{}
	err = eachScore(dir, func(l *job.Line, s *Score) error {
		row := find(&s.Key)
		switch {
		case row == nil || row.Reply == nil:
			return nil
		case s.Of != string(row.sum[:]) && (s.Of != "" || r.Config.Format > firstFormat):
			return &FileError{File: filepath.Join(dir, ScoresFile), What: fmt.Sprintf("the score of %s, %s, sample %d belongs to another reply", s.ID, s.Mode, s.Sample),
				Hint: "`ein bench score DIR` writes the scores again."}
		case s.Scoring != Scoring:
			r.Others++
		}
		row.Score, row.score = s, l.Offset
		if light {
			row.said = s.said()
			row.Score = s.share(shared)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // it has not been scored
	}
	return r, err
}

// ReadReplies is ReadLight without the scores, for scoring.
func ReadReplies(dir string) (*Run, error) {
	r, _, err := read(dir, true)
	return r, err
}

// read is ReadReplies, optionally with texts. The second result is the offset where an unfinished last
// line begins, or else the end of the replies.
func read(dir string, light bool) (*Run, int64, error) {
	r, err := readFrame(dir, light)
	if err != nil {
		return nil, 0, err
	}
	end, err := r.addReplies()
	return r, end, err
}

// addReplies reads the file of replies into the rows.
func (r *Run) addReplies() (end int64, err error) {
	c := newCollector(r)
	shared := map[said]*Reply{}
	// A bad line is the tail when no other comes after it.
	var bad *CorruptError
	name := filepath.Join(r.Dir, RepliesFile)
	err = job.FileLines(name, func(l *job.Line) error {
		if bad != nil {
			return bad
		}
		reply, sum, err := c.take(l)
		if _, ok := errors.AsType[*FileError](err); ok {
			return err
		}
		if err != nil {
			bad = &CorruptError{name, l.Number, l.Offset, err}
			r.Torn = l.Length
			if errors.Is(err, errForeign) {
				return bad // it was written in full, so that nothing is torn
			}
			return nil
		}
		row := &r.Rows[r.place(c.index, &reply.Key)]
		row.Reply, row.reply = reply, l.Offset
		copy(row.sum[:], sum)
		if r.light {
			row.spent, row.corrects, row.dialogue = reply.spent(), row.Corrects(), reply.dialogue()
			row.Reply = reply.share(shared)
		}
		end = l.Offset + l.Length
		return nil
	})
	if err != nil {
		return 0, err
	}
	return end, nil
}

// errForeign is the error of a valid reply in the wrong run.
var errForeign = errors.New("it does not belong here")

// collector assigns replies to the rows of a run.
type collector struct {
	run   *Run
	index map[string]int
	line  []int    // of each row that has a reply
	runs  []string // digests of the configurations
}

// newCollector prepares to match the lines of a folder with the rows of its run. A line may name
// any version of the settings that the run has had.
func newCollector(r *Run) *collector {
	c := &collector{run: r, index: r.index(), line: make([]int, len(r.Rows))}
	for _, v := range r.Config.versions() {
		c.runs = append(c.runs, v.digest())
		if v.Scoring == "" {
			c.runs = append(c.runs, "") // it was begun in format 1
		}
	}
	return c
}

// index returns the place of the first row of each instance; its other rows follow.
func (r *Run) index() map[string]int {
	index := map[string]int{}
	for i := 0; i < len(r.Rows); i += len(r.Config.Modes) * r.Config.Samples {
		index[r.Rows[i].ID] = i
	}
	return index
}

// place returns the place of the row of a key, or -1 if the run does not ask it.
func (r *Run) place(index map[string]int, k *Key) int {
	first, ok := index[k.ID]
	mode := slices.Index(r.Config.Modes, k.Mode)
	if !ok || mode < 0 || k.Sample < 0 || k.Sample >= r.Config.Samples {
		return -1
	}
	return first + mode*r.Config.Samples + k.Sample
}

// Finder finds the row of a key, or nil if the run does not ask it.
func (r *Run) Finder() func(*Key) *Row {
	index := r.index()
	return func(k *Key) *Row {
		if at := r.place(index, k); at >= 0 {
			return &r.Rows[at]
		}
		return nil
	}
}

// take reads the reply in a line, and returns its checksum.
func (c *collector) take(l *job.Line) (reply *Reply, sum string, err error) {
	switch {
	case l.TooLong:
		return nil, "", fmt.Errorf("it is longer than %d bytes", job.MaxLine)
	case !l.Terminated:
		return nil, "", errors.New("it is cut off")
	}
	reply = &Reply{}
	if sum, err = unseal(l.Text, reply); err != nil {
		return nil, "", err
	}
	if !slices.Contains(c.runs, reply.Run) {
		return nil, "", &FileError{File: filepath.Join(c.run.Dir, ConfigFile),
			What: fmt.Sprintf("the replies were not asked under this configuration: its digest is %s, and that of the reply in line %d is %s", c.runs[len(c.runs)-1], l.Number, reply.Run),
			Hint: "The file has been changed since, or is of another run. Nothing is lost: put back the one that was there."}
	}
	at := c.run.place(c.index, &reply.Key)
	if at < 0 {
		return nil, "", fmt.Errorf("the run does not ask %s, %s, sample %d: %w", reply.ID, reply.Mode, reply.Sample, errForeign)
	}
	if first := c.line[at]; first > 0 {
		return nil, "", fmt.Errorf("the reply to %s, %s, sample %d is in line %d already: %w", reply.ID, reply.Mode, reply.Sample, first, errForeign)
	}
	c.line[at] = l.Number
	return reply, sum, nil
}

// readFrame reads the configuration of a run, and its rows without replies.
func readFrame(dir string, light bool) (*Run, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	var list []asked
	shapes := map[shape]*instance.Instance{}
	err = eachInstance(dir, func(offset int64, in *instance.Instance) error {
		a := asked{in, in.ID, offset, [2]uint64{in.StructuralSeed, in.SurfaceSeed}}
		if light {
			a.instance = lighten(in, shapes)
		}
		list = append(list, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := newRun(dir, c, list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, InstancesFile), err)
	}
	r.light = light
	return r, nil
}

// asked is an instance that a run asks about.
type asked struct {
	instance *instance.Instance
	id       string
	at       int64 // in its file
	seeds    [2]uint64
}

// eachInstance yields the instances of a run with their positions.
func eachInstance(dir string, yield func(int64, *instance.Instance) error) error {
	name := filepath.Join(dir, InstancesFile)
	return job.FileLines(name, func(l *job.Line) error {
		in, err := instance.Parse(l.Text)
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, l.Number, err)
		}
		return yield(l.Offset, in)
	})
}

// newRun returns a run without replies.
func newRun(dir string, c *Config, list []asked) (*Run, error) {
	surfaces := max(1, c.Instances.Surfaces)
	count, err := c.Instances.here()
	if err != nil {
		return nil, err
	}
	if want := count * surfaces * len(c.Encodings); len(list) != want {
		return nil, fmt.Errorf("%d instances, expected %d: %d with %d surfaces in %d encodings", len(list), want, count, surfaces, len(c.Encodings))
	}
	r := &Run{Dir: dir, Config: *c, Rows: make([]Row, 0, len(list)*len(c.Modes)*c.Samples)}
	seen := make(map[string]bool, len(list))
	for _, a := range list {
		id, err := instance.ParseID(a.id)
		switch {
		case err != nil:
			return nil, err
		case seen[a.id]:
			return nil, fmt.Errorf("the instance %s is there twice", a.id)
		case !slices.Contains(c.Encodings, id.Encoding):
			return nil, fmt.Errorf("the instance %s has the encoding %s, and the run is in %v", a.id, id.Encoding, c.Encodings)
		}
		seen[a.id] = true
		for _, mode := range c.Modes {
			for sample := range c.Samples {
				r.Rows = append(r.Rows, Row{Instance: a.instance, Key: Key{a.id, mode, sample}, Encoding: id.Encoding, seeds: a.seeds, instance: a.at})
			}
		}
	}
	return r, nil
}

// maxConfig bounds run.json, which has the prompts in it.
const maxConfig = 16 << 20

// readConfig bounds what it reads: a run may come from somebody else.
func readConfig(dir string) (*Config, error) {
	name := filepath.Join(dir, ConfigFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
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

// parseConfig checks the format first: a later one may have members that strict refuses, and
// deserves a message of its own.
func parseConfig(name string, b []byte) (*Config, error) {
	var head struct {
		Format int `json:"format"`
	}
	b, err := compact.Text(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	if head.Format < firstFormat || head.Format > Format {
		return nil, &FileError{name, fmt.Sprintf("the run has format %d, and this program reads formats %d to %d", head.Format, firstFormat, Format), "Use the version of ein that wrote it.", codes.E0701}
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

// MaxTurns is the most requests of a reply.
const MaxTurns = 64

// check checks what the rest of the package relies on.
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
	case c.Turns < 0 || c.Turns > MaxTurns:
		return fmt.Errorf("%d turns, expected at most %d", c.Turns, MaxTurns)
	case c.Samples < 1 || c.Samples > MaxSamples:
		return fmt.Errorf("%d samples, expected 1 to %d", c.Samples, MaxSamples)
	case c.Instances.Surfaces < 0:
		return fmt.Errorf("%d surfaces, expected 1 or more", c.Instances.Surfaces)
	case c.Instances.Count < 1:
		return errors.New("no instances")
	}
	if twice(c.Modes) || twice(c.Encodings) {
		return errors.New("a mode or an encoding is there twice")
	}
	return nil
}

func twice[T comparable](list []T) bool { return len(lists.Set(list)) < len(list) }

// billed is the content of BilledFile.
type billed struct {
	Most float64 `json:"most"`
}

// ReadBilled returns the most dollars that requests without a reply may have cost: those that failed, and
// those in flight when the run stopped. It is 0 for a run without a bound on its cost.
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
	return job.ReplaceJSON(filepath.Join(dir, BilledFile), &billed{most})
}

// Batch is a batch that the provider has, or may have: it is recorded before it is submitted. Its rows
// are not submitted again before its end is known.
type Batch struct {
	Tag  string    `json:"tag"`          // that it carries at the provider; of no other batch anywhere
	ID   string    `json:"id,omitempty"` // of the provider; "" until it has said so
	Time time.Time `json:"time"`
	Rows []int     `json:"rows"` // places of its requests among the rows of the run
	// Reserved is the most dollars that it costs, where the cost is bounded. BilledFile
	// has them too.
	Reserved float64 `json:"reserved,omitempty"`
}

// ReadBatches returns the batches of a run with that many rows.
func ReadBatches(dir string, rows int) ([]*Batch, error) {
	name := filepath.Join(dir, BatchesFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []*Batch
	if err == nil {
		err = strict(text, &list)
	}
	for _, b := range list {
		if b == nil || b.Tag == "" || slices.ContainsFunc(b.Rows, func(at int) bool { return at < 0 || at >= rows }) {
			err = cmp.Or(err, errors.New("a batch has no tag, or rows that the run has not"))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// WriteBatches replaces the recorded batches. Without batches there is no file.
func WriteBatches(dir string, list []*Batch) error {
	name := filepath.Join(dir, BatchesFile)
	if len(list) == 0 {
		return cmp.Or(job.Remove(name), job.SyncDir(dir))
	}
	return job.ReplaceJSON(name, list)
}

// eachScore yields the scores of a run. The error is fs.ErrNotExist if it has not been scored.
func eachScore(dir string, yield func(*job.Line, *Score) error) error {
	name := filepath.Join(dir, ScoresFile)
	return job.FileLines(name, func(l *job.Line) error {
		s, err := parseScore(l)
		if err != nil {
			return &CorruptError{name, l.Number, l.Offset, err}
		}
		return yield(l, s)
	})
}

// parseScore reads a line. A line without a checksum must be of format 1, and does not say to which
// reply it belongs.
func parseScore(l *job.Line) (*Score, error) {
	if l.TooLong {
		return nil, fmt.Errorf("it is longer than %d bytes", job.MaxLine)
	}
	s := &Score{}
	_, err := unseal(l.Text, s)
	if err != nil && strict(l.Text, s) == nil && s.Of == "" && s.Scoring == "" {
		err = nil
	}
	want := s.Outcome.Judgements()
	if s.Scoring == "" {
		want.Relaxed = s.Relaxed // there was no such mode in format 1
	}
	if err == nil && s.Judgements != want {
		err = fmt.Errorf("the outcome %q is not what strict and lenient say", s.Outcome)
	}
	s.Judgements = s.Outcome.Judgements()
	return s, err
}
