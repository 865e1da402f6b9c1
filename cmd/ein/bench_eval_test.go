package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"ein/bench/ask/model/fake"
	"ein/bench/ask/run"
	"ein/bench/question/category"
	"ein/bench/question/instance"

	"ein/cmd/ein/internal/cli"
)

// TestEvalInterrupt interrupts a run whose replies do not come: once, and then the
// replies are waited for; twice, and they are not.
func TestEvalInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	var lines bytes.Buffer
	var list []*instance.Instance
	for _, c := range category.Table {
		in, _, err := instance.Generate(instance.NewID("test", c.Name, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := instance.Write(&lines, in); err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	provider, err := fake.New(fake.Options{Instances: list})
	if err != nil {
		t.Fatal(err)
	}
	for name, twice := range map[string]bool{"once": false, "twice": true} {
		t.Run(name, func(t *testing.T) {
			const atOnce = 4
			arrived, release := make(chan struct{}, len(list)), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				arrived <- struct{}{}
				select {
				case <-release:
				case <-r.Context().Done():
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				provider.ServeHTTP(w, r)
			}))
			defer server.Close()
			releaseOnce := sync.OnceFunc(func() { close(release) })
			defer releaseOnce()
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "run")
			if err := os.WriteFile(in, lines.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"ein", "bench", "eval", "--model", "openai:fake-model", "--base-url", fake.BaseURL("openai", server.URL),
				"--instances", in, "--out", out, "--start", "4", "--concurrency", "4", "--no-score"}
			ein := func() *exec.Cmd {
				return &exec.Cmd{Path: os.Args[0], Args: args, Env: append(os.Environ(), "OPENAI_API_KEY="+fake.DefaultKey)}
			}
			cmd := ein()
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range atOnce {
				<-arrived
			}
			var refused *exec.ExitError
			if b, err := ein().CombinedOutput(); !errors.As(err, &refused) || refused.ExitCode() != cli.ExitOutside || !strings.Contains(string(b), "another process is writing the run: process ") {
				t.Errorf("a second writer gets %v\n%s", err, b)
			}
			interrupt := func() {
				if err := cmd.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
			}
			interrupt()
			said := bufio.NewScanner(stderr)
			var text []string
			for said.Scan() {
				text = append(text, said.Text())
				if strings.HasPrefix(said.Text(), "ein: interrupted: waiting") {
					if twice {
						interrupt()
					} else {
						releaseOnce()
					}
				}
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitOutside {
				t.Fatalf("got %v\n%s", err, strings.Join(text, "\n"))
			}
			if !strings.Contains(strings.Join(text, "\n"), "the same command with --out") {
				t.Errorf("it says\n%s", strings.Join(text, "\n"))
			}
			r, err := run.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			there := 0
			for i := range r.Rows {
				if r.Rows[i].Reply != nil {
					there++
				}
			}
			if want := map[bool]int{false: atOnce, true: 0}[twice]; there != want {
				t.Errorf("%d replies are there, want %d", there, want)
			}
			releaseOnce()
			if b, err := ein().CombinedOutput(); err != nil {
				t.Errorf("resumed: %v\n%s", err, b)
			}
			if r, err = run.Read(out); err != nil || r.Rows[len(r.Rows)-1].Reply == nil {
				t.Errorf("resumed: %v", err)
			}
		})
	}
}
