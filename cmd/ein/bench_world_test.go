package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ein/bench/ask/model/fake"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

// world returns a folder with a file of one instance of each category, in.jsonl, and a port
// that is free.
func world(t *testing.T) (dir, port string, list []*instance.Instance) {
	t.Helper()
	dir = t.TempDir()
	var lines bytes.Buffer
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
	if err := os.WriteFile(filepath.Join(dir, "in.jsonl"), lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, port, list
}

// background runs a program until the end of the test.
func background(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skip("there is no", args[0]+":", err)
	}
	var said bytes.Buffer
	cmd := &exec.Cmd{Path: path, Args: args, Dir: dir, Env: append(os.Environ(), env...), Stdout: &said, Stderr: &said}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%s", args[0], said.Bytes()[max(0, said.Len()-4000):])
		}
	})
}

// evalWorld runs ein bench eval in a folder, and gives the replies that it has kept.
func evalWorld(t *testing.T, dir, key, model, base string, args ...string) []byte {
	t.Helper()
	out := strings.NewReplacer(":", "-", "/", "-").Replace(model) + strings.Join(args, "")
	args = append([]string{"ein", "bench", "eval", "--model", model, "--base-url", base, "--instances", "in.jsonl", "--out", out, "--no-score", "--wait-for-server", "10m"}, args...)
	cmd := &exec.Cmd{Path: os.Args[0], Args: args, Dir: dir, Env: append(os.Environ(), "OPENAI_API_KEY="+key, "ANTHROPIC_API_KEY="+key, "GEMINI_API_KEY="+key)}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, text)
	}
	replies, err := os.ReadFile(filepath.Join(dir, out, "replies.jsonl"))
	if err != nil {
		t.Error(err)
	}
	return replies
}

// TestLLMock asks a server that misbehaves and judges its clients: it finds no error. On
// a loaded machine it may note the end of a stream that it cut after the retry has begun,
// and take that for a call of its own; so an error has to be found twice.
func TestLLMock(t *testing.T) {
	errors, said := llmock(t)
	if errors != 0 {
		t.Logf("once more, since there was found:\n%s", said)
		if errors, said = llmock(t); errors != 0 {
			t.Errorf("%d errors\n%s", errors, said)
		}
	}
}

// llmock runs evaluations against a server of its own, and gives the errors and
// what they are.
func llmock(t *testing.T) (errors int, said []byte) {
	t.Helper()
	dir, port, list := world(t)
	background(t, dir, nil, "llmock", "serve", "--port", port, "--log-level", "error", "--error-rate", "429=0.1", "--error-rate", "500=0.05", "--error-rate", "503=0.05", "--error-rate", "529=0.05",
		"--stream-fault", "truncate=0.1", "--stream-fault", "malformed=0.05", "--stream-fault", "disconnect=0.05")
	url := "http://127.0.0.1:" + port
	for model, base := range map[string]string{"openai:gpt-4o": "/v1", "openai-responses:gpt-4o": "/v1", "anthropic:claude-sonnet-4-6": "/anthropic", "gemini:gemini-2.0-flash": "/gemini"} {
		for _, way := range []string{"--samples=1", "--stream", "--batch=20"} {
			if way == "--batch=20" && (strings.HasPrefix(model, "openai-responses") || strings.HasPrefix(model, "gemini")) {
				continue // it has none of the first, and of Gemini's not what Google's package sends
			}
			replies := evalWorld(t, dir, "k", model, url+base, "--no-context-check", "--retries=30", way) // 4 of 10 attempts fail
			if n := bytes.Count(replies, []byte("\n")); n != len(list) {
				t.Errorf("%s %s: %d replies", model, way, n)
			}
		}
	}
	r, err := http.Get(url + "/_llmock/verdict")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var verdict struct {
		Errors, Calls int
		Faults        int `json:"faults_injected"`
		Findings      json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&verdict); err != nil {
		t.Fatal(err)
	}
	if verdict.Calls < 8*len(list) || verdict.Faults < len(list) {
		t.Errorf("%d calls with %d faults\n%s", verdict.Calls, verdict.Faults, verdict.Findings)
	}
	return verdict.Errors, verdict.Findings
}

// TestLiteLLM asks a provider that is none through the proxy of litellm, in the formats
// that the proxy speaks to its clients and to providers, and gets what it gets without.
func TestLiteLLM(t *testing.T) {
	litellm, err := exec.LookPath("litellm")
	if err != nil {
		t.Skip("there is no litellm:", err)
	}
	dir, port, list := world(t)
	provider, err := fake.New(fake.Options{Instances: list, Behaviour: "noisy-ein@0.3"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(provider)
	defer server.Close()
	texts := func(replies []byte) (list []string) {
		for line := range bytes.Lines(replies) {
			var r struct{ ID, Reply, Finish string }
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			list = append(list, r.ID+" "+r.Finish+" "+r.Reply)
		}
		slices.Sort(list)
		return list
	}
	want := texts(evalWorld(t, dir, fake.DefaultKey, "openai:gpt-4o", fake.BaseURL("openai", server.URL)))
	config := `{"model_list":[
{"model_name":"by-openai","litellm_params":{"model":"openai/gpt-4o","api_base":"URL/v1","api_key":"KEY"}},
{"model_name":"by-anthropic","litellm_params":{"model":"anthropic/claude-haiku-4-5","api_base":"URL","api_key":"KEY"}},
{"model_name":"by-gemini","litellm_params":{"model":"gemini/gemini-2.5-flash","api_base":"URL/v1beta","api_key":"KEY"}}]}`
	config = strings.NewReplacer("URL", server.URL, "KEY", fake.DefaultKey).Replace(config)
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	const master = "sk-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c" // it takes none that is short
	background(t, dir, []string{"LITELLM_MASTER_KEY=" + master, "LITELLM_LOCAL_MODEL_COST_MAP=True"}, "litellm", "--config", "config.yaml", "--host", "127.0.0.1", "--port", port)
	url := "http://127.0.0.1:" + port
	for _, model := range []string{"openai:by-openai", "openai:by-anthropic", "openai:by-gemini", "openai-responses:by-openai", "anthropic:by-openai", "anthropic:by-anthropic", "gemini:by-openai"} {
		name, _, _ := strings.Cut(model, ":")
		base := fake.BaseURL(name, url)
		for _, way := range []string{"--samples=1", "--stream"} {
			if got := texts(evalWorld(t, dir, master, model, base, way)); !slices.Equal(got, want) {
				t.Errorf("%s %s:\n%s\nwant\n%s", model, way, strings.Join(got[:min(2, len(got))], "\n"), strings.Join(want[:2], "\n"))
			}
		}
	}
	// The providers' own packages in front of the proxy, and the proxy's in front of the provider.
	in := list[0]
	own := filepath.Join(filepath.Dir(litellm), "python3")
	if exec.Command("python3", "-c", "import openai, anthropic, google.genai").Run() != nil {
		t.Skip("there are no packages of the providers")
	}
	for _, c := range []struct {
		program []string
		texts   int
	}{
		{[]string{"python3", "testdata/litellm/sdks.py", url, master}, 19},
		{[]string{own, "testdata/litellm/library.py", server.URL, fake.DefaultKey}, 6},
	} {
		cmd := exec.CommandContext(t.Context(), c.program[0], append(c.program[1:], prompt.DefaultPrompts()[prompt.Direct], in.Question)...)
		cmd.Env = append(os.Environ(), "LITELLM_LOCAL_MODEL_COST_MAP=True")
		cmd.Stderr = &strings.Builder{}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s%s", c.program[1], err, out, cmd.Stderr)
		}
		if n := bytes.Count(out, []byte("\n")); n != c.texts {
			t.Errorf("%s: %d texts, want %d", c.program[1], n, c.texts)
		}
		for line := range bytes.Lines(out) {
			var got struct{ What, Text string }
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if !slices.Contains(want, in.ID+" stop "+got.Text) {
				t.Errorf("%s: %q", got.What, got.Text)
			}
		}
	}
}

// TestKubernetesManifest holds the manifest of ein bench submit against the schema of
// Kubernetes.
func TestKubernetesManifest(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import kubernetes_validate").CombinedOutput(); err != nil {
		t.Skipf("needs kubernetes-validate: %s", out)
	}
	for _, flags := range []string{"", " --claim data --jobs 7"} {
		manifest := ein(t, "bench submit --engine k8s --shards 64"+flags+" -o out.jsonl --dry-run -- generate")
		check := exec.Command("python3", "-c", `
import json, sys, kubernetes_validate
job = json.load(sys.stdin)
job["metadata"]["name"] = job["metadata"].pop("generateName") + "x"  # it names what it checks
kubernetes_validate.validate(job, "1.32", strict=True)`)
		check.Stdin = strings.NewReader(manifest)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, manifest)
		}
	}
}
