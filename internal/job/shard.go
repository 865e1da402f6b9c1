package job

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MaxShards bounds how many parts a job has: their names have five digits.
const MaxShards = 99_999

// Shard is part I, from 1, of N of a job that many processes do.
type Shard struct{ I, N int }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }

// Of returns the shard's part of so many items: all shards together have each once, in order.
func (s Shard) Of(total int64) (from, to int64) {
	n := int64(s.N)
	at := func(i int64) int64 { return i*(total/n) + i*(total%n)/n }
	return at(int64(s.I) - 1), at(int64(s.I))
}

// ParseShard reads I/N, or "auto", which takes both from what a scheduler says: the
// array of Slurm, the index of a job of Kubernetes, or EIN_SHARD. The number of shards is
// then that of EIN_SHARDS, or else of the plan that is there already, or else of the
// array itself.
func ParseShard(text string, env func(string) string, planned int) (Shard, error) {
	if text != "auto" {
		return parseShard(text)
	}
	n, err := strconv.Atoi(cmp.Or(env("EIN_SHARDS"), strconv.Itoa(planned)))
	if err != nil {
		return Shard{}, fmt.Errorf("EIN_SHARDS is %q, expected a number", env("EIN_SHARDS"))
	}
	slurm, kubernetes := env("SLURM_ARRAY_TASK_ID"), env("JOB_COMPLETION_INDEX")
	switch {
	case env("EIN_SHARD") != "":
		return parseShard(env("EIN_SHARD"))
	case slurm != "":
		if last := env("SLURM_ARRAY_TASK_MAX"); n == 0 && env("SLURM_ARRAY_TASK_MIN") == "1" && last == env("SLURM_ARRAY_TASK_COUNT") {
			return parseShard(slurm + "/" + last)
		}
	case kubernetes != "":
		index, err := strconv.Atoi(kubernetes)
		if err != nil {
			return Shard{}, fmt.Errorf("JOB_COMPLETION_INDEX is %q, expected a number", kubernetes)
		}
		slurm = strconv.Itoa(index + 1) // the first has the index 0
	default:
		return Shard{}, errors.New("cannot tell which shard this is: set SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or EIN_SHARD in the environment")
	}
	if n == 0 {
		return Shard{}, fmt.Errorf("this is shard %s, but the number of shards is unknown: set EIN_SHARDS in the environment, or start the array at 1", slurm)
	}
	return parseShard(fmt.Sprintf("%s/%d", slurm, n))
}

// parseShard parses I/N.
func parseShard(text string) (s Shard, err error) {
	i, n, ok := strings.Cut(text, "/")
	if s.I, err = strconv.Atoi(i); err == nil {
		s.N, err = strconv.Atoi(n)
	}
	if !ok || err != nil || s.I < 1 || s.I > s.N || s.N > MaxShards {
		return Shard{}, fmt.Errorf("expected a shard I/N, as in 3/64, with I from 1 to N and N up to %d, found %q", MaxShards, text)
	}
	return s, nil
}

// Plan is what all shards of a folder are parts of.
type Plan struct {
	Command []string `json:"command"` // the verb, its flags and what it is given
	Shards  int      `json:"shards"`
	Total   int64    `json:"total"` // items, or bytes of the input
	From    []Field  `json:"from"`  // what the bytes depend on beside that
}

func (p *Plan) fields() []Field {
	return append([]Field{{"command", strings.Join(p.Command, " ")}, {"shards", strconv.Itoa(p.Shards)}, {"total", strconv.FormatInt(p.Total, 10)}}, p.From...)
}

// PlanFile is the plan of a folder of shards.
const PlanFile = "plan.json"

// ReadPlan reads that of a folder.
func ReadPlan(dir string) (*Plan, error) {
	b, err := os.ReadFile(filepath.Join(dir, PlanFile))
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, PlanFile), err)
	}
	return p, nil
}

// Begin makes the folder of a plan, or finds it: of several processes that begin at
// once the first decides, and the others have to have the same plan. Else the error is an
// *Other.
func (p *Plan) Begin(dir string) error {
	if err := os.MkdirAll(dir, fs.ModePerm); err != nil {
		return err
	}
	name := filepath.Join(dir, PlanFile)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		own := filepath.Join(dir, TempPrefix+rand.Text()) // not the process id: in containers that is often the same
		if err := ReplaceJSON(own, p); err != nil {
			return err
		}
		err := os.Link(own, name) // fails if it is there
		_ = os.Remove(own)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return ReplaceJSON(name, p) // a file system without links
		}
	}
	there, err := ReadPlan(dir)
	if err != nil {
		return err
	}
	return there.Same(dir, p)
}

// Same returns an *Other if another plan for a folder differs.
func (p *Plan) Same(dir string, other *Plan) error {
	if d := diff(p.fields(), other.fields()); len(d) > 0 {
		return &Other{filepath.Join(dir, PlanFile), d}
	}
	return nil
}

// Done is the record of a shard that is complete.
type Done struct {
	From    int64   `json:"from"` // of the total
	To      int64   `json:"to"`
	Items   int     `json:"items"`
	Bytes   int64   `json:"bytes"`
	SHA256  string  `json:"sha256"`
	Input   string  `json:"input,omitempty"` // SHA-256 of the part of the input it was made from
	Notes   []Field `json:"notes,omitempty"`
	Seconds float64 `json:"seconds"`
	Host    string  `json:"host"`
}

// ShardFile returns the path of a shard without its suffix.
func ShardFile(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("%05d", i)) }

// The suffixes of a shard and of the record that it is complete.
const (
	ShardLines = ".jsonl"
	shardDone  = ".ok"
)

// Sum returns the size and the SHA-256 of what is read.
func Sum(r io.Reader) (int64, string, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// SumFile is Sum of a file.
func SumFile(name string) (int64, string, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = f.Close() }()
	return Sum(f)
}

// Finish records that a shard is complete, whose content is in a file.
func Finish(dir string, i int, file string, d Done) (err error) {
	if d.Bytes, d.SHA256, err = SumFile(file); err != nil {
		return err
	}
	if d.Host, err = os.Hostname(); err != nil {
		d.Host = ""
	}
	return ReplaceJSON(ShardFile(dir, i)+shardDone, d)
}

// Finished reads the record of a shard and holds the content against it. The error is
// fs.ErrNotExist when it is not complete, and says what is wrong otherwise.
func Finished(dir string, i int, file string) (*Done, error) {
	name := ShardFile(dir, i) + shardDone
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d := &Done{}
	if err := json.Unmarshal(b, d); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", name, err)
	}
	size, sum, err := SumFile(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case size != d.Bytes || sum != d.SHA256:
		return nil, fmt.Errorf("%s has %d bytes and the SHA-256 %s, but %s says %d and %s", file, size, sum, name, d.Bytes, d.SHA256)
	}
	return d, nil
}

// Lists returns numbers in the form of an array of Slurm: 7,19-22.
func Lists(numbers []int) string {
	var list []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		text := strconv.Itoa(numbers[i])
		if j > i {
			text += "-" + strconv.Itoa(numbers[j])
		}
		list = append(list, text)
		i = j + 1
	}
	return strings.Join(list, ",")
}

// Slice returns the lines of a file that begin from a place on and before another.
func Slice(r io.ReaderAt, size, from, to int64) (*io.SectionReader, int64, int64, error) {
	a, err := lineFrom(r, size, from)
	if err != nil {
		return nil, 0, 0, err
	}
	b, err := lineFrom(r, size, to)
	return io.NewSectionReader(r, a, b-a), a, b, err
}

// lineFrom returns where the first line at or after an offset begins.
func lineFrom(r io.ReaderAt, size, at int64) (int64, error) {
	if at == 0 || at >= size {
		return min(at, size), nil
	}
	end := size
	err := Lines(io.NewSectionReader(r, at-1, size-at+1), func(l *Line) error {
		end = at - 1 + l.Length
		return io.EOF // enough
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return end, err
}
