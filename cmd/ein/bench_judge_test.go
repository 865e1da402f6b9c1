package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ein/bench/question/category"
	"ein/bench/question/instance"
)

// TestKilled kills ein bench exec, score and generate at points drawn at random,
// until they have come to their end between the kills. What comes out is what comes
// out of one run.
func TestKilled(t *testing.T) {
	kills, each := 20, 60
	if testing.Short() {
		kills, each = 4, 20
	}
	dir := t.TempDir()
	instances, replies := filepath.Join(dir, "instances.jsonl"), filepath.Join(dir, "replies.jsonl")
	var in, out bytes.Buffer
	for i := range category.Table {
		for k := range each {
			x, _, err := instance.Generate(instance.NewID("kill", category.Table[i].Name, k, 3))
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			in.Write(append(b, '\n'))
			reply := map[string]string{"id": x.ID, "reply": "```ein\n" + x.EinProgram + "```\n" + `{"answer": "` + strings.Repeat("x", 900+k) + `"}`}
			if k%3 == 0 {
				reply = map[string]string{"id": x.ID, "error": strings.Repeat("y", 2000+k)}
			}
			if b, err = json.Marshal(reply); err != nil {
				t.Fatal(err)
			}
			if k%7 != 0 {
				out.Write(append(b, '\n'))
			}
		}
	}
	for name, b := range map[string][]byte{instances: in.Bytes(), replies: out.Bytes()} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, verb := range []string{"exec", "score", "generate"} {
		t.Run(verb, func(t *testing.T) {
			run := func(to string) (*exec.Cmd, *bytes.Buffer) {
				var table bytes.Buffer
				args := []string{"--instances", instances, "--replies", replies, "--json"}
				if verb == "generate" { // which writes a megabyte at a time
					args = []string{"--per-category", "80", "--n", "12", "--resume"}
				}
				cmd := exec.Command("ein", append([]string{"bench", verb, "-o", to}, args...)...)
				cmd.Stdout = &table
				return cmd, &table
			}
			whole := filepath.Join(dir, verb+".whole")
			cmd, table := run(whole)
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(whole)
			if err != nil {
				t.Fatal(err)
			}
			wantTable := table.String()
			r := rand.New(rand.NewPCG(1, uint64(len(verb))))
			done, resumed := 0, 0
			for file := 0; done < kills; file++ {
				name := filepath.Join(dir, fmt.Sprintf("%s.%d", verb, file))
				size := func() int64 {
					info, err := os.Stat(name + ".part")
					if err != nil {
						return -1
					}
					return info.Size()
				}
				for {
					cmd, table := run(name)
					if done >= kills {
						if err := cmd.Run(); err != nil {
							t.Fatal(err)
						}
					} else if !killed(t, cmd, func() bool { return size() >= 0 }, size()+r.Int64N(100_000), size) {
						// It was done before it was to be killed.
					} else {
						if done++; size() > 0 {
							resumed++
						}
						if torn := r.IntN(3); torn == 0 && size() > 0 {
							tear(t, name+".part", want, r)
						}
						continue
					}
					got, err := os.ReadFile(name)
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("%d bytes after kills, %d without, %v", len(got), len(want), err)
					}
					if table.String() != wantTable {
						t.Errorf("%s\nwithout kills\n%s", table, wantTable)
					}
					break
				}
			}
			if resumed == 0 {
				t.Error("nothing was left behind by a kill")
			}
			left, err := filepath.Glob(filepath.Join(dir, verb+"*.part*"))
			if err != nil || len(left) > 0 {
				t.Errorf("%v is left, %v", left, err)
			}
			t.Logf("%d kills, %d with something done", kills, resumed)
		})
	}
}

// killed kills a command once the part is there and has a size. It is false when
// the command has come to its end by itself.
func killed(t *testing.T, cmd *exec.Cmd, begun func() bool, at int64, size func() int64) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(100 * time.Microsecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return false
		case <-look.C:
		}
		if begun() && size() >= at {
			_ = cmd.Process.Kill()
			return (<-ended) != nil
		}
	}
}

// tear puts the first bytes of the next line behind a part, as a machine that stops
// while it writes does.
func tear(t *testing.T, name string, whole []byte, r *rand.Rand) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if rest := whole[min(len(b), len(whole)):]; len(rest) > 1 && bytes.HasPrefix(whole, b) {
		line := bytes.IndexByte(rest, '\n')
		if err := os.WriteFile(name, append(b, rest[:r.IntN(line+1)]...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
