package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ein/bench/ask/model"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/job"
)

// some returns a configuration and its instances: n, in two encodings.
func some(t testing.TB, n int) (Config, []*instance.Instance) {
	t.Helper()
	c := Config{Format: Format, Scoring: Scoring, Ein: "test", Model: "baseline:random", Modes: []prompt.Mode{prompt.Direct, prompt.Ein},
		Encodings: []surface.Encoding{surface.NL, surface.JSON}, Samples: 2,
		Instances: Source{File: "in.jsonl", SHA256: "00", Count: n},
		Prompts:   map[prompt.Mode]string{prompt.Direct: "Answer.", prompt.Ein: "Program."},
		Sent:      map[prompt.Mode]json.RawMessage{prompt.Direct: json.RawMessage(`{"x":1}`)}}
	var list []*instance.Instance
	for i := range n {
		for _, e := range c.Encodings {
			id := instance.NewID("test", "reachability", i, 7)
			id.Encoding = e
			in, _, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, in)
		}
	}
	return c, list
}

// create makes a run and replies to all it asks.
func create(t testing.TB, n int) (*Writer, []Reply) {
	t.Helper()
	c, list := some(t, n)
	w, err := Create(filepath.Join(t.TempDir(), "run"), c, list)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, answers(w.Run())
}

func answers(r *Run) []Reply {
	var out []Reply
	for i := range r.Rows {
		out = append(out, Reply{Key: r.Rows[i].Key, Model: "m-1", Finish: model.Stop, Cost: 0.001 * float64(i),
			Reply: fmt.Sprintf("a <b> & \"c\"\n{\"id\":\"x\"} é %d", i), Usage: model.Usage{Input: 10, Output: int64(i)}})
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	w, replies := create(t, 2)
	dir := w.Run().Dir
	if len(replies) != 2*2*2*2 {
		t.Fatalf("%d rows", len(replies))
	}
	if err := w.Append(replies[:3]...); err != nil {
		t.Fatal(err)
	}
	w.Log(Event{Event: "begin"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range w.Run().Rows {
		if (row.Reply != nil) != (i < 3) {
			t.Errorf("row %d: reply %v", i, row.Reply)
		}
	}
	if err := w.Append(replies[3:]...); err != nil {
		t.Fatal(err)
	}
	// It can be read while it is written.
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows {
		if r.Rows[i].Reply == nil {
			t.Fatalf("row %d has no reply", i)
		}
		if !reflect.DeepEqual(*r.Rows[i].Reply, replies[i]) {
			t.Errorf("row %d: got %+v, want %+v", i, r.Rows[i].Reply, replies[i])
		}
		if id, _ := instance.ParseID(r.Rows[i].ID); id.Encoding != r.Rows[i].Encoding {
			t.Errorf("row %d has encoding %s", i, r.Rows[i].Encoding)
		}
	}
	if d := Diff(r.Config, w.Run().Config); len(d) != 0 {
		t.Errorf("the configuration read differs: %q", d)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(replies[0]); err == nil {
		t.Error("a closed run takes replies")
	}
}

func writeScores(t testing.TB, dir string, scores []Score) {
	t.Helper()
	var all []byte
	for i := range scores {
		line, err := seal(&scores[i].Key, &scores[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line...)
	}
	if err := os.WriteFile(filepath.Join(dir, ScoresFile), all, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestScores(t *testing.T) {
	w, replies := create(t, 1)
	dir := w.Run().Dir
	if err := w.Append(replies...); err != nil {
		t.Fatal(err)
	}
	if err := eachScore(dir, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	for range 2 { // the second replaces the first
		var scores []Score
		r, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			scores = append(scores, Score{row.Key, verdict.Verdict{Topic: verdict.Topic{Category: "reachability", Level: "L1"}, Result: answer.Result{Outcome: answer.Wrong, Answer: json.RawMessage("null")}}, Scoring, string(row.sum[:])})
		}
		writeScores(t, dir, scores)
		if r, err = Read(dir); err != nil {
			t.Fatal(err)
		}
		for i := range r.Rows {
			if r.Rows[i].Score == nil || !reflect.DeepEqual(*r.Rows[i].Score, scores[i]) {
				t.Errorf("row %d: got %+v", i, r.Rows[i].Score)
			}
		}
	}
	for _, bad := range []string{`{"id":1}`, `{"id":"a","outcome":"strict","answer":null}`, `{"id":"a","outcome":"wrong","lenient":true,"answer":null}`, `{"id":"a","outcome":"right","strict":true,"lenient":true,"answer":null}`} {
		if err := os.WriteFile(filepath.Join(dir, ScoresFile), []byte(bad+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var corrupt *CorruptError
		if _, err := Read(dir); !errors.As(err, &corrupt) || corrupt.Line != 1 || filepath.Base(corrupt.File) != ScoresFile {
			t.Errorf("%s: got %v", bad, err)
		}
		if r, err := ReadReplies(dir); err != nil || r.Rows[0].Reply == nil {
			t.Errorf("%s: the replies cannot be read: %v", bad, err)
		}
	}
}

// TestTruncated cuts the file at every byte of its last two records.
func TestTruncated(t *testing.T) {
	w, replies := create(t, 1)
	dir := w.Run().Dir
	if err := w.Append(replies...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, RepliesFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := bytes.SplitAfter(whole, []byte("\n"))
	all = all[:len(all)-1]
	start := len(whole) - len(all[len(all)-1]) - len(all[len(all)-2])
	for cut := start; cut <= len(whole); cut++ {
		if err := os.WriteFile(name, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(filepath.Join(dir, tornFile))
		good := bytes.Count(whole[:cut], []byte("\n"))
		end := bytes.LastIndexByte(whole[:cut], '\n') + 1
		r, err := Read(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got := count(r); got != good || r.Torn != int64(cut-end) {
			t.Fatalf("cut at %d: %d replies and %d torn, want %d and %d", cut, got, r.Torn, good, cut-end)
		}
		if after, _ := os.ReadFile(name); !bytes.Equal(after, whole[:cut]) {
			t.Fatalf("cut at %d: Read changed the file", cut)
		}
		w, err := Open(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if (w.Torn() != "") != (cut > end) {
			t.Errorf("cut at %d: told %q", cut, w.Torn())
		}
		if err := w.Append(replies[good:]...); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if after, _ := os.ReadFile(name); !bytes.Equal(after, whole) {
			t.Fatalf("cut at %d: resumed file differs", cut)
		}
		torn, err := os.ReadFile(filepath.Join(dir, tornFile))
		if cut > end && (err != nil || string(torn) != string(whole[end:cut])+"\n") {
			t.Fatalf("cut at %d: the tail is %q, %v", cut, torn, err)
		}
	}
}

func count(r *Run) int {
	n := 0
	for i := range r.Rows {
		if r.Rows[i].Reply != nil {
			n++
		}
	}
	return n
}

func TestCorrupt(t *testing.T) {
	w, replies := create(t, 1)
	dir := w.Run().Dir
	if err := w.Append(replies...); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	name := filepath.Join(dir, RepliesFile)
	whole, _ := os.ReadFile(name)
	all := bytes.SplitAfter(whole, []byte("\n"))
	all = all[:len(all)-1]
	flip := func(i, at int) [][]byte {
		out := slices.Clone(all)
		out[i] = bytes.Clone(all[i])
		out[i][at] ^= 1
		return out
	}
	other := replies[0]
	other.Sample = 9
	other.Run = w.digest
	foreign, err := seal(&other.Key, &other)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lines      [][]byte
		line       int // of the error; 0: it is a tail
		good, miss int // after Repair
	}{
		"bit in the middle": {flip(2, 40), 3, len(all) - 1, 1},
		"bit in a checksum": {flip(2, len(all[2])-4), 3, len(all) - 1, 1},
		"bit in the last":   {flip(len(all)-1, 40), 0, len(all) - 1, 1},
		"empty line":        {slices.Insert(slices.Clone(all), 1, []byte("\n")), 2, len(all), 0},
		"zeros":             {slices.Insert(slices.Clone(all), 1, append(make([]byte, 600), '\n')), 2, len(all), 0},
		"twice":             {slices.Insert(slices.Clone(all), 3, all[0]), 4, len(all), 0},
		"twice at the end":  {append(slices.Clone(all), all[0]), len(all) + 1, len(all), 0},
		"foreign":           {append(slices.Clone(all), foreign), len(all) + 1, len(all), 0},
		// A tail that was continued without being repaired.
		"swallowed": {slices.Insert(slices.Clone(all[1:]), 2, all[0][:70]), 3, len(all) - 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			text := bytes.Join(c.lines, nil)
			file := filepath.Join(dir, RepliesFile)
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Read(dir)
			var corrupt *CorruptError
			switch {
			case c.line == 0 && err != nil:
				t.Fatalf("a tail is an error: %v", err)
			case c.line > 0:
				offset := int64(len(bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:c.line-1], nil)))
				if !errors.As(err, &corrupt) || corrupt.Line != c.line || corrupt.Offset != offset {
					t.Fatalf("got %v, want line %d at %d", err, c.line, offset)
				}
				if _, err := Open(dir); !errors.As(err, &corrupt) {
					t.Fatalf("opened: %v", err)
				}
			}
			if after, _ := os.ReadFile(file); !bytes.Equal(after, text) {
				t.Fatal("the file was changed")
			}
			dry, err := Repair(dir, true)
			if err != nil {
				t.Fatal(err)
			}
			if after, _ := os.ReadFile(file); !bytes.Equal(after, text) || dry.Done {
				t.Fatal("a dry run changed the file")
			}
			writeScores(t, dir, nil)
			got, err := Repair(dir, false)
			if err != nil {
				t.Fatal(err)
			}
			if exists(filepath.Join(dir, ScoresFile)) {
				t.Error("scores of replies that are gone are left")
			}
			if !got.Done || got.Good != c.good || got.Missing != c.miss || len(got.Bad) != 1 || !reflect.DeepEqual(got.Bad, dry.Bad) {
				t.Errorf("got %+v, and dry %+v", got, dry)
			}
			if got.Bad[0].Tail != (c.line == 0) {
				t.Errorf("tail: %+v", got.Bad[0])
			}
			r, err := Read(dir)
			if err != nil || r.Torn != 0 || count(r) != c.good {
				t.Errorf("after the repair: %v", err)
			}
			if again, err := Repair(dir, false); err != nil || again.Done || len(again.Bad) != 0 {
				t.Errorf("repaired twice: %+v, %v", again, err)
			}
		})
	}
}

// faulty is a disk that fails from some call on.
type faulty struct {
	job.Appender
	write func([]byte) (int, error)
	sync  func() error
	syncs int
}

func (f *faulty) Write(b []byte) (int, error) {
	if f.write != nil {
		return f.write(b)
	}
	return f.Appender.Write(b)
}

func (f *faulty) Sync() error {
	f.syncs++
	if f.sync != nil {
		return f.sync()
	}
	return f.Appender.Sync()
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		inject func(*faulty)
		want   error
		kept   int // of the replies of the failed call
	}{
		"short write": {func(f *faulty) {
			f.write = func(b []byte) (int, error) { return f.Appender.Write(b[:len(b)-10]) }
		}, io.ErrShortWrite, 1},
		"no space": {func(f *faulty) {
			f.write = func(b []byte) (int, error) {
				n, _ := f.Appender.Write(b[:100])
				return n, syscall.ENOSPC
			}
		}, syscall.ENOSPC, 0},
		"EIO": {func(f *faulty) {
			f.write = func([]byte) (int, error) { return 0, syscall.EIO }
		}, syscall.EIO, 0},
		"sync": {func(f *faulty) {
			f.sync = func() error { return syscall.EIO }
		}, syscall.EIO, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, replies := create(t, 1)
			dir := w.Run().Dir
			if err := w.Append(replies[:2]...); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(filepath.Join(dir, RepliesFile), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			info, err := file.Stat()
			if err != nil {
				t.Fatal(err)
			}
			f := &faulty{Appender: file}
			c.inject(f)
			w.replies = job.NewFile(f, "the replies", info.Size())
			err = w.Append(replies[2:4]...)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v", err)
			}
			// The fault is gone, and the descriptor is still not used.
			f.write, f.sync, f.syncs = nil, nil, 0
			if again := w.Append(replies[4]); !errors.Is(again, c.want) || f.syncs > 0 {
				t.Fatalf("the second call: %v", again)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			w, err = Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = w.Close() }()
			if got := count(w.Run()); got != 2+c.kept {
				t.Errorf("%d replies are there, want %d", got, 2+c.kept)
			}
			if err := w.Append(replies[2+c.kept:]...); err != nil {
				t.Fatal(err)
			}
			if r, err := Read(dir); err != nil || count(r) != len(replies) {
				t.Errorf("resumed: %v", err)
			}
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	c, list := some(t, 1)
	file := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	file(dir, "thesis.tex", "x")
	if _, err := Create(dir, c, list); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("got %v", err)
	}
	dir = t.TempDir()
	file(dir, RepliesFile, "x")
	if _, err := Create(dir, c, list); err == nil {
		t.Error("replies without a run are overwritten")
	}
	// What a crash leaves before run.json is there is no obstacle.
	dir = t.TempDir()
	file(dir, RepliesFile, "")
	file(dir, InstancesFile, "half")
	file(dir, job.TempPrefix+"1", "half")
	w, err := Create(dir, c, list)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, c, list); err == nil {
		t.Error("created twice")
	}
	_ = w.Close()
	if _, err := Create(dir, c, list); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	if _, err := Create(filepath.Join(dir, "x"), c, list[1:]); err == nil {
		t.Error("too few instances")
	}
	for _, none := range []string{t.TempDir(), filepath.Join(dir, ConfigFile)} {
		if _, err := Open(none); !errors.Is(err, ErrNoRun) {
			t.Errorf("got %v", err)
		}
	}
	file(dir, ConfigFile, `{"format":99,"more":1}`)
	var format *FileError
	if _, err := Read(dir); !errors.As(err, &format) || !strings.Contains(format.What, "format 99") {
		t.Errorf("got %v", err)
	}
}

// TestLock races processes for one run: exactly one gets it.
func TestLock(t *testing.T) {
	if dir := os.Getenv("RUN_TEST_LOCK"); dir != "" {
		w, err := Open(dir)
		var locked *LockedError
		if errors.As(err, &locked) {
			fmt.Println("LOCKED", locked.Holder.PID)
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("OPEN", os.Getpid())
		_, _ = io.ReadAll(os.Stdin)
		_ = w.Close()
		return
	}
	w, _ := create(t, 1)
	dir := w.Run().Dir
	_ = w.Close()
	type process struct {
		cmd *exec.Cmd
		in  io.WriteCloser
		out io.Reader
	}
	var all []process
	for range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLock$")
		cmd.Env = append(os.Environ(), "RUN_TEST_LOCK="+dir)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, process{cmd, in, out})
	}
	holders, holder := 0, 0
	var refused []int
	for _, p := range all {
		var what string
		var pid int
		if _, err := fmt.Fscanln(p.out, &what, &pid); err != nil {
			t.Fatal(err)
		}
		switch what {
		case "OPEN":
			holders++
			holder = pid
		case "LOCKED":
			refused = append(refused, pid)
		default:
			t.Errorf("a process said %q", what)
		}
	}
	if holders != 1 {
		t.Errorf("%d processes write the run", holders)
	}
	for _, pid := range refused {
		if pid != holder && pid != 0 && pid != os.Getpid() { // it may be read before the winner has written it
			t.Errorf("the holder is said to be %d, it is %d", pid, holder)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", holder)) {
		t.Errorf("got %v", err)
	}
	for _, p := range all {
		_ = p.in.Close()
		_, _ = io.Copy(io.Discard, p.out)
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal("the lock was left behind:", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, lockFile)); err != nil || len(b) > 0 {
		t.Errorf("%q, %v: it says who has written the run", b, err)
	}
}

func TestDiff(t *testing.T) {
	a, _ := some(t, 1)
	b := a
	b.Ein, b.Instances.File = "other", "other"
	if d := Diff(a, b); len(d) != 0 {
		t.Errorf("got %q", d)
	}
	x, long := 0.5, strings.Repeat("Read the edges with care. ", 10)
	a.Prompts = map[prompt.Mode]string{prompt.Direct: long + "one"}
	b.Prompts = map[prompt.Mode]string{prompt.Direct: long + "two"}
	b.Params.Temperature = &x
	b.Samples = 3
	got := Diff(a, b)
	want := []string{"params.temperature: not set, now 0.5",
		`prompts.direct: from byte 261 on: "the edges with care. one\"", now "the edges with care. two\""`,
		"samples: 2, now 3"}
	for i, s := range want {
		if i >= len(got) {
			t.Fatalf("got %q", got)
		}
		if i != 1 && got[i] != s {
			t.Errorf("got %q, want %q", got[i], s)
		}
	}
	if !strings.Contains(got[1], "from byte 261 on") || !strings.Contains(got[1], `one`) || !strings.Contains(got[1], `two`) {
		t.Errorf("got %q", got[1])
	}
}

// FuzzRead reads files of replies that nobody has written: it never panics, an error
// is a *CorruptError within the file, and what a repair leaves is good.
func FuzzRead(f *testing.F) {
	w, replies := create(f, 1)
	dir := w.Run().Dir
	if err := w.Append(replies[:4]...); err != nil {
		f.Fatal(err)
	}
	_ = w.Close()
	name := filepath.Join(dir, RepliesFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Add(whole[5:])
	f.Add([]byte("\n\n{}"))
	f.Add([]byte{})
	frame, err := readFrame(dir, false)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		name := filepath.Join(dir, RepliesFile)
		read := func(data []byte) (*Run, int64, error) {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			r := &Run{Dir: dir, Config: frame.Config, Rows: slices.Clone(frame.Rows)}
			end, err := r.addReplies()
			return r, end, err
		}
		r, end, err := read(data)
		var corrupt *CorruptError
		switch {
		case err == nil:
			if end+r.Torn != int64(len(data)) {
				t.Fatalf("%d bytes are replies and %d torn, of %d", end, r.Torn, len(data))
			}
		case !errors.As(err, &corrupt):
			t.Fatalf("got %v", err)
		case corrupt.Offset < 0 || corrupt.Offset >= int64(len(data)):
			t.Fatalf("at %d of %d", corrupt.Offset, len(data))
		}
		var good, bad bytes.Buffer
		fixed, err := frame.sift(name, &good, &bad)
		if err != nil {
			t.Fatal(err)
		}
		if r, _, err = read(good.Bytes()); err != nil || r.Torn != 0 || count(r) != fixed.Good {
			t.Fatalf("after the repair, %v: %+v", err, fixed)
		}
	})
}

// FuzzConfig reads configurations: what is taken can be written and is the same
// again.
func FuzzConfig(f *testing.F) {
	c, _ := some(f, 1)
	b, err := json.Marshal(&c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(bytes.Replace(b, []byte(`"samples":2`), []byte(`"samples":-2`), 1))
	f.Add([]byte(`{"format":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConfig("run.json", data)
		if err != nil {
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		d, err := parseConfig("run.json", again)
		if err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
		if diff := Diff(*c, *d); len(diff) > 0 {
			t.Fatalf("%q", diff)
		}
	})
}

// TestByteOrderMark: an editor that puts a mark at the head of a file has changed nothing.
func TestByteOrderMark(t *testing.T) {
	w, replies := create(t, 1)
	dir := w.Run().Dir
	if err := errors.Join(w.Append(replies...), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ConfigFile, InstancesFile, RepliesFile} {
		name = filepath.Join(dir, name)
		b, err := os.ReadFile(name)
		if err := errors.Join(err, os.WriteFile(name, append([]byte("\ufeff"), b...), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if row.Reply == nil || row.Reply.Reply != replies[i].Reply {
			t.Errorf("row %d: %+v", i, row.Reply)
		}
	}
}
