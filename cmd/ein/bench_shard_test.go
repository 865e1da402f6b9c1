package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ein/cmd/ein/internal/cli"
)

// ein runs a command line and gives what it prints. It may find something wrong.
func ein(t *testing.T, line string) string {
	t.Helper()
	code, out, stderr := command("", strings.Fields(line)...)
	if code != cli.ExitOK && code != cli.ExitWrong {
		t.Fatalf("ein %s: exit code %d\n%s", line, code, stderr)
	}
	return out
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// inputs writes instances that repeat, and replies of all kinds to some of them.
func inputs(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	ein(t, "bench generate --generator cb1 --split train --per-category 3 -o in.jsonl")
	ein(t, "bench generate --generator cb1 --split train --seed 2 --n 4..5 --per-category 20 --categories sibling,reachability -o avoid.jsonl")
	ein(t, "bench eval --model baseline:noisy-ein@0.3 --mode ein --instances in.jsonl --out noisy")
	replies := strings.SplitAfter(strings.TrimSuffix(content(t, "noisy/replies.jsonl"), "\n"), "\n")
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(replies), func(i, j int) { replies[i], replies[j] = replies[j], replies[i] })
	replies = append(replies[3:], replies[9:29]...) // some are missing, some are there twice
	replies = append(replies, `{"id": "nobody", "reply": "3"}`+"\n")
	programs := strings.ReplaceAll(strings.Join(replies, ""), "}{", "}\n{")
	write(t, "replies.jsonl", programs)
	write(t, "answers.jsonl", strings.ReplaceAll(programs, `"mode":"ein"`, `"mode":"direct"`))
	lines := strings.SplitAfter(content(t, "in.jsonl"), "\n")
	lines = append(lines[:40], append([]string{lines[3], "{}\n", strings.Replace(lines[50], "n", "m", 1)}, lines[40:]...)...)
	write(t, "bad.jsonl", strings.Join(lines, ""))
}

// TestShards: the shards of a job make together what one command makes, byte for byte, in
// whatever order they are made.
func TestShards(t *testing.T) {
	inputs(t)
	numbers := []int{1, 7, 64}
	if testing.Short() {
		numbers = numbers[:2]
	}
	for name, job := range map[string]struct {
		line  string
		files []string // that are made
	}{
		"generate":    {"generate --per-category 3", []string{""}},
		"repeats":     {"generate --categories degree_count,sibling --preset demo --n 8 --per-category 40", []string{""}},
		"disjoint":    {"generate --generator cb1 --split train2 --n 4..5 --per-category 20 --categories sibling,reachability --disjoint-from avoid.jsonl --disjoint-from in.jsonl", []string{""}},
		"sweep":       {"generate --generator cb1 --sweep --n 4..8 --per-category 2 --level L1", []string{""}},
		"sensitivity": {"generate --generator cb1 --categories reachability --per-category 20 --min-sensitivity 0.1", []string{""}},
		"verify":      {"verify bad.jsonl --no-python", nil},
		"score":       {"score --instances in.jsonl --replies answers.jsonl", []string{""}},
		"exec":        {"exec --instances in.jsonl --replies replies.jsonl", []string{""}},
		"audit":       {"audit in.jsonl bad/in.jsonl --no-python", nil},
		"eval":        {"eval --model baseline:noisy-ein@0.3 --mode ein,direct --instances in.jsonl --concurrency 1 --limit 65", []string{"/run.json", "/instances.jsonl", "/replies.jsonl", "/scores.jsonl"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "audit" {
				if err := os.MkdirAll("bad", 0o755); err != nil {
					t.Fatal(err)
				}
				ein(t, "bench generate --split train --per-category 2 --categories cousin,ancestor -o bad/in.jsonl")
			}
			to := " -o "
			if name == "eval" {
				to = " --out "
			}
			printed := ein(t, "bench "+job.line+to+name)
			if job.files == nil {
				job.files = []string{""}
			}
			for _, n := range numbers {
				dir, out := fmt.Sprint(name, ".", n), fmt.Sprint(name, ".", n, ".out")
				for _, i := range rand.Perm(n) {
					if said := ein(t, fmt.Sprintf("bench %s --shard %d/%d%s%s", job.line, i+1, n, to, dir)); said != "" {
						t.Fatalf("shard %d/%d prints %s", i+1, n, said)
					}
				}
				if got := ein(t, "bench merge "+dir+" -o "+out); got != printed {
					t.Errorf("%d shards print\n%s\nexpected\n%s", n, got, printed)
				}
				for _, f := range job.files {
					if got, want := content(t, out+f), content(t, name+f); got != want {
						t.Errorf("%d shards: %s has %d bytes, expected %d", n, f, len(got), len(want))
					}
				}
				if again := ein(t, "bench merge "+dir+" -o "+out); again != printed {
					t.Errorf("merged again: %s", again)
				}
			}
		})
	}
}

// TestShardsDamaged: what is missing or is not as it was is told in the form of an array,
// and nothing is written; the command makes only that.
func TestShardsDamaged(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = "bench generate --generator cb1 --categories sibling --per-category 40"
	ein(t, line+" -o whole.jsonl")
	shard := func(i int) (int, string) {
		code, _, stderr := command("", strings.Fields(fmt.Sprintf("%s --shard %d/9 -o dir", line, i))...)
		return code, stderr
	}
	for i := 1; i <= 9; i++ {
		shard(i)
	}
	for _, name := range []string{"00002.ok", "00005.jsonl"} {
		if err := os.Remove(filepath.Join("dir", name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "dir/00006.ok", "{")
	write(t, "dir/00009.jsonl", content(t, "dir/00008.jsonl"))
	code, _, stderr := command("", "bench", "merge", "dir", "-o", "out.jsonl")
	if _, err := os.Stat("out.jsonl"); code != cli.ExitOutside || !strings.Contains(stderr, "4 of 9 shards are missing or unfinished") || !strings.Contains(stderr, "--array=2,5-6,9\n") || err == nil {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for i := 1; i <= 9; i++ {
		code, stderr := shard(i)
		if again := !strings.Contains(stderr, "already"); code != 0 || again != (i == 2 || i == 5 || i == 6 || i == 9) {
			t.Errorf("shard %d: %s", i, stderr)
		}
	}
	ein(t, "bench merge dir -o out.jsonl")
	if content(t, "out.jsonl") != content(t, "whole.jsonl") {
		t.Error("other bytes than of a single run")
	}
	ein(t, line+" --seed 2 --shard 3/9 -o foreign")
	for _, suffix := range []string{".jsonl", ".ok"} {
		write(t, "dir/00003"+suffix, content(t, "foreign/00003"+suffix))
	}
	if code, _, stderr := command("", "bench", "merge", "dir", "-o", "out.jsonl"); code != cli.ExitWrong || !strings.Contains(stderr, filepath.Join("dir", "00003.jsonl")+" has cb1-") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for _, other := range []string{"bench generate --generator cb1 --categories sibling --per-category 41 --shard 1/9 -o dir",
		line + " --shard 1/8 -o dir", line + " --shard 1/8", line + " --shard 10/9 -o dir", "bench merge .", "bench verify - --shard 1/2 -o v"} {
		if code, _, stderr := command("", strings.Fields(other)...); code != cli.ExitUsage {
			t.Errorf("%s: exit code %d: %s", other, code, stderr)
		}
	}
}

// TestShardsKilled kills the processes that make shards again and again, and has two of
// them make each in the end.
func TestShardsKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	inputs(t)
	const n = 4
	for _, line := range []string{
		"bench generate --generator cb1 --split train2 --per-category 60 --disjoint-from avoid.jsonl",
		"bench exec --instances in.jsonl --replies replies.jsonl",
		"bench verify bad.jsonl --no-python",
	} {
		verb := strings.Fields(line)[1]
		printed := ein(t, line+" -o "+verb)
		start := func(i int) *exec.Cmd {
			cmd := &exec.Cmd{Path: os.Args[0], Args: append([]string{"ein"}, strings.Fields(fmt.Sprintf("%s --shard %d/%d -o %s.dir", line, i, n, verb))...)}
			cmd.Stderr = &bytes.Buffer{}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		for try := range 6 * n {
			cmd := start(1 + try%n)
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
			_ = cmd.Process.Signal([]os.Signal{os.Kill, syscall.SIGTERM}[try%2])
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != -1 && code != cli.ExitOK && code != cli.ExitOutside {
				t.Errorf("%s: exit code %d: %s", verb, code, cmd.Stderr)
			}
		}
		var wait sync.WaitGroup
		for i := range 2 * n {
			cmd := start(1 + i/2)
			wait.Go(func() {
				err := cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != cli.ExitOK && code != cli.ExitOutside {
					t.Errorf("%s, one of two: %v: %s", verb, err, cmd.Stderr)
				}
			})
		}
		wait.Wait()
		if got := ein(t, fmt.Sprintf("bench merge %s.dir -o %s.out", verb, verb)); got != printed || content(t, verb) != content(t, verb+".out") {
			t.Errorf("%s: other bytes than of a single run; it prints %s", verb, got)
		}
	}
}

// TestMergeFails: a merge that cannot make the file says only why, and describes no file of before.
func TestMergeFails(t *testing.T) {
	t.Chdir(t.TempDir())
	ein(t, "bench generate --split train --per-category 3 --min-sensitivity 0.4 --categories reachability --shard 1/1 -o shards")
	for _, old := range []string{"", "something else\n"} {
		if old != "" {
			write(t, "out.jsonl", old)
		}
		code, _, stderr := command("", "bench", "merge", "shards", "-o", "out.jsonl")
		if code != cli.ExitWrong || !strings.Contains(stderr, "only 0 of 3 found") || strings.Contains(stderr, "cannot be read") {
			t.Errorf("exit code %d\n%s", code, stderr)
		}
		if _, err := os.Stat("out.jsonl.manifest"); err == nil || old != "" && content(t, "out.jsonl") != old {
			t.Error("there is a manifest, or another file")
		}
	}
}

// TestSubmitOther: shards of another command are no result of this one, and a command that cannot be
// done in shards is refused before any is made.
func TestSubmitOther(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "") // there is no sbatch, so nothing can be started
	const line = "bench generate --generator cb1 --categories sibling --per-category "
	for i := 1; i <= 2; i++ {
		ein(t, fmt.Sprintf("%s4 --shard %d/2 -o dir", line, i))
	}
	for _, test := range []struct{ shards, command, want string }{
		{"2", "generate --per-category 5 --generator cb1 --categories sibling", "--per-category=4, now generate"},
		{"3", "generate --per-category 4 --generator cb1 --categories sibling", "shards: 2, now 3"},
		{"2", "generate --per-category 4 --generator cb1 --categories sibling -o x.jsonl", "--output is given by ein bench submit"},
		{"2", "generate --per-category 4 --generator cb1 --categories sibling --shard=1/2", "--shard is given by ein bench submit"},
		{"2", "eval --out x", "--out is given by ein bench submit"},
		{"2", "generate --per-categori 4", "--per-categori"},
	} {
		code, _, stderr := command("", strings.Fields("bench submit --engine slurm --dir dir -o out.jsonl --shards "+test.shards+" -- "+test.command)...)
		if _, err := os.Stat("out.jsonl"); code != cli.ExitUsage || !strings.Contains(stderr, test.want) || err == nil {
			t.Errorf("%s: exit code %d: %s", test.command, code, stderr)
		}
	}
	ein(t, "bench submit --engine slurm --dir dir -o out.jsonl --shards 2 -- generate --color never --per-category 4 --categories=sibling --generator cb1")
}

// TestSubmitRefused: what a scheduler says is shown line after line.
func TestSubmitRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script of a shell is no command")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	if err := os.WriteFile("sbatch", []byte("#!/bin/sh\necho no account >&2\necho no queue >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command("", strings.Fields("bench submit --engine slurm --shards 2 -o out.jsonl -- generate")...)
	if code != cli.ExitOutside || !strings.Contains(stderr, "exit status 1: no account; no queue\n") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestSubmitWrong: a command that no machine can run is given to them once, and the message says
// why; so does that of shards that are not made, where a scheduler keeps what they said.
func TestSubmitWrong(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script of a shell is no command")
	}
	scripts := map[string]string{"slurm": `sbatch) echo "job: exec: /x/ein: not found" >>"${2%submit.sh}00002.log"; echo 7;;
squeue) case "$*" in *states=all*) printf '1 0\n2 CODE\n3 256\n'; esac;;`, "k8s": `kubectl) case $1 in
create) echo job.batch/x;;
get) echo '{"status":{"conditions":[{"type":"Failed","status":"True","reason":"CODE","message":"container ein failed with exit code 127"}]}}'; esac;;`}
	for _, test := range []struct {
		engine, ended string
		code, rounds  int
		want          string
	}{
		{"slurm", "32512", cli.ExitUsage, 1, "ein: ein bench generate: job: exec: /x/ein: not found\n"},
		{"slurm", "32256", cli.ExitUsage, 1, "ein: ein bench generate: job: exec: /x/ein: not found\n"},
		{"slurm", "2", cli.ExitOutside, 2, "ein: 3 shards were not made; "},
		{"k8s", "PodFailurePolicy", cli.ExitUsage, 1, "ein: ein bench generate: container ein failed with exit code 127\n"},
		{"k8s", "FailedIndexes", cli.ExitOutside, 2, "ein: 3 shards were not made; `kubectl logs job.batch/x` says why"},
	} {
		bin := t.TempDir()
		t.Chdir(t.TempDir())
		t.Setenv("PATH", bin)
		write(t, filepath.Join(bin, "all"), "#!/bin/sh\ncase ${0##*/} in\n"+strings.ReplaceAll(scripts[test.engine], "CODE", test.ended)+"\nesac\n")
		for _, name := range []string{"sbatch", "squeue", "kubectl"} {
			if err := errors.Join(os.Chmod(filepath.Join(bin, "all"), 0o755), os.Symlink("all", filepath.Join(bin, name))); err != nil {
				t.Fatal(err)
			}
		}
		code, _, stderr := command("", strings.Fields("bench submit --every 1ms --rounds 2 --shards 3 -o out --engine "+test.engine+" -- generate")...)
		if rounds := 1 + strings.Count(stderr, "again: 1-3"); code != test.code || rounds != test.rounds || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d after %d rounds: %s", test.engine, code, rounds, stderr)
		}
	}
}
