package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestShardOf: the shards of a job follow each other, from nothing to the total, and
// differ by one item at most.
func TestShardOf(t *testing.T) {
	for _, n := range []int{1, 7, 64, MaxShards} {
		for _, total := range []int64{0, 1, 6, 7, 1300, math.MaxInt64} {
			last := int64(0)
			for i := 1; i <= n; i++ {
				from, to := Shard{i, n}.Of(total)
				if size := to - from; from != last || size < total/int64(n) || size-1 > total/int64(n) {
					t.Fatalf("%d/%d of %d is %d..%d after %d", i, n, total, from, to, last)
				}
				last = to
			}
			if last != total {
				t.Errorf("%d shards of %d end at %d", n, total, last)
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	for _, test := range []struct {
		text, env string // NAME=VALUE with blanks
		planned   int
		want      string // or what the error says
	}{
		{text: "3/64", want: "3/64"},
		{text: "0/64", want: "expected a shard I/N"},
		{text: "65/64", want: "expected a shard I/N"},
		{text: "3", want: "expected a shard I/N"},
		{text: "3/100000", want: "expected a shard I/N"},
		{text: "auto", want: "cannot tell which shard"},
		{text: "auto", env: "EIN_SHARD=2/9", want: "2/9"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=64 SLURM_ARRAY_TASK_COUNT=64", want: "3/64"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_MAX=40 SLURM_ARRAY_TASK_COUNT=3", want: "the number of shards is unknown"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_COUNT=3", want: "the number of shards is unknown"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_MAX=40 SLURM_ARRAY_TASK_COUNT=3", planned: 64, want: "7/64"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=0 EIN_SHARDS=64", want: "expected a shard I/N"},
		{text: "auto", env: "JOB_COMPLETION_INDEX=0 EIN_SHARDS=64", want: "1/64"},
		{text: "auto", env: "JOB_COMPLETION_INDEX=63 EIN_SHARDS=64", want: "64/64"},
		{text: "auto", env: "JOB_COMPLETION_INDEX=3", want: "the number of shards is unknown"},
		{text: "auto", env: "JOB_COMPLETION_INDEX=x EIN_SHARDS=64", want: "expected a number"},
		{text: "auto", env: "JOB_COMPLETION_INDEX=3 EIN_SHARDS=many", want: "expected a number"},
	} {
		got, err := ParseShard(test.text, func(name string) string {
			for _, v := range strings.Fields(test.env) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}, test.planned)
		if text := fmt.Sprint(got, err); !strings.Contains(text, test.want) {
			t.Errorf("%s with %s: %s, want %s", test.text, test.env, text, test.want)
		}
	}
}

// TestPlan lets many begin at once: one plan is there in the end, and another is refused.
func TestPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shards")
	p := Plan{Command: []string{"generate", "--seed=1"}, Shards: 7, Total: 100}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if err := p.Begin(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list := files(t, filepath.Join(dir, "x")); fmt.Sprint(list) != "[plan.json]" {
		t.Error(list)
	}
	p.Shards = 8
	var other *Other
	if err := p.Begin(dir); !errors.As(err, &other) || fmt.Sprint(other.Diff) != "[shards: 7, now 8]" {
		t.Errorf("%v", err)
	}
}

// TestPlans lets different ones begin at once, in one process as in containers where each is number 1: only
// one is taken.
func TestPlans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shards")
	var wait sync.WaitGroup
	var taken atomic.Int32
	for i := range 16 {
		wait.Go(func() {
			if (&Plan{Command: []string{"generate"}, Shards: i + 1, Total: 100}).Begin(dir) == nil {
				taken.Add(1)
			}
		})
	}
	wait.Wait()
	if n := taken.Load(); n != 1 {
		t.Errorf("%d plans were taken", n)
	}
}

// TestFinished holds a shard against its record.
func TestFinished(t *testing.T) {
	dir := t.TempDir()
	name := ShardFile(dir, 3) + ShardLines
	if _, err := Finished(dir, 3, name); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Finish(dir, 3, name, Done{From: 1, To: 3, Items: 2}); err != nil {
		t.Fatal(err)
	}
	if d, err := Finished(dir, 3, name); err != nil || d.Bytes != 8 || d.Items != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if err := os.WriteFile(name, []byte("one\ntwO\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Finished(dir, 3, name); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Error(err)
	}
	if err := os.WriteFile(ShardFile(dir, 3)+shardDone, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Finished(dir, 3, name); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

func TestLists(t *testing.T) {
	for want, numbers := range map[string][]int{"": nil, "7": {7}, "1-3": {1, 2, 3}, "7,19-22,40": {7, 19, 20, 21, 22, 40}} {
		if got := Lists(numbers); got != want {
			t.Errorf("%v: %s", numbers, got)
		}
	}
}

// TestSlice cuts texts at every number of shards: each line is in one of them, whole.
func TestSlice(t *testing.T) {
	for _, text := range []string{"", "\n", "one\ntwo\nthree\n", "one\ntwo\nthree", "\n\n\na\n\n", strings.Repeat("x", 200_000) + "\ny\n"} {
		size := int64(len(text))
		for n := 1; n <= 20; n++ {
			var b strings.Builder
			last := int64(0)
			for i := 1; i <= n; i++ {
				from, to := Shard{i, n}.Of(size)
				r, from, to, err := Slice(strings.NewReader(text), size, from, to)
				if err != nil || from != last {
					t.Fatalf("%d/%d of %.20q begins at %d, expected %d: %v", i, n, text, from, last, err)
				}
				part, err := io.ReadAll(r)
				if err != nil || len(part) > 0 && i < n && to < size && part[len(part)-1] != '\n' {
					t.Errorf("%d/%d of %.20q is %.20q, %v", i, n, text, part, err)
				}
				b.Write(part)
				last = to
			}
			if b.String() != text {
				t.Errorf("%d shards of %.20q are %.20q", n, text, b.String())
			}
		}
	}
}
