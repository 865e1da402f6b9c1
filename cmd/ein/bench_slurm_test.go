package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSlurm has a Slurm of two nodes make 64 shards, and kills one of the nodes with all
// that runs on it when some of them are there. It needs root, and slurm-wlm and munge of
// Debian.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute")
	}
	for _, name := range []string{"slurmctld", "slurmd", "munged", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs Slurm: apt-get install --no-install-recommends slurm-wlm munge")
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root: slurmctld and slurmd are started")
	}
	up, err := filepath.Abs(filepath.Join("..", "..", "testdata", "slurm", "up.sh"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "slurm") // all may read it: munged is another user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command(up, dir, "down").Run()
		for i := 0; os.RemoveAll(dir) != nil && i < 1000; i++ { // those who end write their state
			time.Sleep(10 * time.Millisecond)
		}
	})
	args := []string{dir, "up"}
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
		_ = l.Close()
	}
	if out, err := exec.Command(up, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	work := t.TempDir()
	program := filepath.Join(work, "ein")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const command = "generate --split train --per-category 600"
	t.Chdir(work)
	ein(t, "bench "+command+" -o whole.jsonl")
	submit := exec.Command(program, append(strings.Fields("bench submit --engine slurm --every 500ms --shards 64 -o out.jsonl --"), strings.Fields(command)...)...)
	submit.Env = append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))
	said, err := os.Create("said")
	if err != nil {
		t.Fatal(err)
	}
	submit.Stdout, submit.Stderr = said, said
	began := time.Now()
	if err := submit.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- submit.Wait() }()
	done := func() int {
		list, err := filepath.Glob("out.jsonl.shards/*.ok")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for deadline := time.Now().Add(2 * time.Minute); done() < 12 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	// The second node: its daemon, those that watch its jobs, and what they watch.
	kill := `slurmd=$(cat ` + dir + `/slurmd.n2.pid); for p in $slurmd $(pgrep -f 'slurmstepd.*' ); do
		if [ $p = $slurmd ] || tr '\0' '\n' </proc/$p/environ 2>/dev/null | grep -q SLURMD_NODENAME=n2; then kill -9 $p $(pgrep -P $p) 2>/dev/null; fi; done; true`
	if out, err := exec.Command("sh", "-c", kill).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before := done()
	if err := <-ended; err != nil {
		t.Fatalf("%v: %s", err, content(t, "said"))
	}
	if content(t, "out.jsonl") != content(t, "whole.jsonl") {
		t.Error("other bytes than of a single run")
	}
	node := exec.Command("sinfo", "--noheader", "--nodes=n2", "--format=%T")
	node.Env = submit.Env
	state, err := node.Output()
	t.Logf("node n2 is %s, killed after %d shards; all took %v", strings.TrimSpace(fmt.Sprint(string(state), err)), before, time.Since(began).Round(time.Second))
	if !strings.HasPrefix(string(state), "down") {
		t.Errorf("the node that was killed is %s", state)
	}
}
