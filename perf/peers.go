package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ein/internal/child"
)

// notInstalled is why a contender that is not there has not run.
const notInstalled = "not installed"

//go:embed peers.py
var peersPy []byte

// message is a request to peers.py: "do" and what goes with it.
type message map[string]any

// answer is a reply of peers.py: what a sample took and its check value, or, to "versions", which
// peers there are.
type answer struct {
	Wall, CPU, Check float64
	peak             float64 // bytes that a process of its own grew by
	Error            string

	Versions map[string]string
	Missing  map[string]string // peer to the package that has it
	Blas     string
}

// peers is the running peers.py.
type peers struct {
	*child.Process
	info answer
}

// startPeers runs peers.py, with so many threads for BLAS and OpenMP.
// Variables that make OpenBLAS use the kernels of another processor are taken
// out, as they would make the peers slower than they are.
func startPeers(python, dir string, workers int) (*peers, error) {
	script := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(script, peersPy, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(python, "-u", script)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "OPENBLAS_") || strings.HasPrefix(v, "OMP_")
	})
	cmd.Env = append(cmd.Env, fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", workers), fmt.Sprintf("OMP_NUM_THREADS=%d", workers), "PYTHONHASHSEED=0")
	process, err := child.Start(cmd, os.Stderr, 1<<20)
	if err != nil {
		return nil, err
	}
	p := &peers{Process: process}
	p.info, err = p.ask(message{"do": "versions"})
	return p, err
}

// ask sends a request and waits for the answer. An error that the peer reports is returned with
// it.
func (p *peers) ask(m message) (answer, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return answer{}, err
	}
	reply, err := p.Ask(context.Background(), line)
	if err != nil {
		return answer{}, fmt.Errorf("peers.py ended: %w", err)
	}
	var a answer
	if err := json.Unmarshal(reply, &a); err != nil {
		return answer{}, err
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// requires names the modules a peer of a table needs.
var requires = map[string][]string{
	"numpy + scipy":      {"numpy", "scipy"},
	"scipy":              {"numpy", "scipy"},
	"igraph":             {"numpy", "igraph"},
	"DuckDB":             {"numpy", "duckdb"},
	"clingo":             {"numpy", "clingo"},
	"Nemo":               {"numpy", "Nemo"},
	"np.einsum":          {"numpy"},
	"np.einsum optimize": {"numpy"},
	"BLIS":               {"numpy", "BLIS"},
	"torch":              {"numpy", "torch"},
	"opt_einsum":         {"numpy", "opt_einsum"},
}

// absent says why a peer cannot run here, or "".
func (p *peers) absent(peer string) string {
	if p == nil {
		return "no Python"
	}
	names := requires[peer]
	if names == nil {
		names = []string{peer}
	}
	for _, name := range names {
		if p.info.Missing[name] != "" {
			return notInstalled
		}
	}
	return ""
}
