package memorization

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ein/bench/question/instance"
)

// The files of a folder of cells, besides one for each cell.
const (
	ProofFile = "cells.json"
	AllFile   = "all.jsonl" // the questions of all cells, one after the other
)

// File returns the name of the file of a cell.
func (c Cell) File() string { return string(c) + ".jsonl" }

// Files returns what the folder holds, in the order in which it should be written: the
// proof, with the checksums of the others, comes last.
func (g *Generated) Files() []File {
	var files []File
	var all []byte
	for _, c := range present(g.Instances) {
		files = append(files, File{c.File(), g.Lines[c]})
		all = append(all, g.Lines[c]...)
	}
	proof, _ := json.MarshalIndent(struct { // texts and numbers
		Version int `json:"version"`
		Proof
		LeftOut []Left `json:"left"`
	}{1, g.Proof, g.Left}, "", "  ")
	return append(files, File{AllFile, all}, File{ProofFile, append(proof, '\n')})
}

// File is a file to be written.
type File struct {
	Name string
	Data []byte
}

// ReadFolder reads the cells of a folder and compares them with the checksums of
// its proof.
func ReadFolder(dir string) (*Membership, error) {
	file := filepath.Join(dir, ProofFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p, err := parseProof(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	cells := map[Cell][]*instance.Instance{}
	for _, x := range p.Cells {
		name := filepath.Join(dir, x.Cell.File())
		lines, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(lines); hex.EncodeToString(sum[:]) != x.SHA256 {
			return nil, fmt.Errorf("%s: the SHA-256 is %x, but %s says %s: the file was changed", name, sum, ProofFile, x.SHA256)
		}
		for in, err := range instance.Read(bytes.NewReader(lines)) {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			cells[x.Cell] = append(cells[x.Cell], in)
		}
	}
	return NewMembership(cells)
}

// parseProof reads a proof. Its cells are known, and each is there once.
func parseProof(text []byte) (*Proof, error) {
	var p struct {
		Version int
		Proof
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if p.Version != 1 {
		return nil, fmt.Errorf("version %d, expected 1", p.Version)
	}
	seen := map[Cell]bool{}
	for _, x := range p.Cells {
		if seen[x.Cell] || !x.Cell.known() {
			return nil, fmt.Errorf("the cell %q is unknown or listed twice", x.Cell)
		}
		seen[x.Cell] = true
	}
	return &p.Proof, nil
}

func (c Cell) known() bool { return slices.Contains(Cells(), c) }
