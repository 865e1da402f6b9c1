package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ein/vm/kernel"
	"ein/vm/tensor"
)

// graph is one graph in the forms that both sides start from: its edges in
// memory, and a file of them.
type graph struct {
	n        int
	directed bool
	src, dst []int32
	file     string // .npy of two rows, sources and targets
}

// matrix is the adjacency matrix. An undirected edge, which is in the list once,
// is in it both ways.
func (g *graph) matrix() tensor.CSR {
	src, dst := g.src, g.dst
	if !g.directed {
		src = append(append([]int32(nil), g.src...), g.dst...)
		dst = append(append([]int32(nil), g.dst...), g.src...)
	}
	a, _ := tensor.BuildCSR(g.n, g.n, src, dst, nil)
	return a
}

// lists and packed are the two layouts of a bound graph.
func (g *graph) lists() *tensor.Value {
	return &tensor.Value{Type: g.typ(), Layout: tensor.Sparse, CSR: g.matrix()}
}

func (g *graph) packed() *tensor.Value {
	v := &tensor.Value{Type: g.typ(), Layout: tensor.Packed, Bits: tensor.NewBits(g.n, g.n)}
	kernel.CSRToBits(&kernel.Ctl{}, v.Bits, g.matrix())
	return v
}

// weighted returns the lists with the weights that peers.py gives edges as well: whole
// numbers from 1 to 997, the same in both directions.
func (g *graph) weighted() *tensor.Value {
	v := g.lists()
	v.Kind = tensor.Int
	for i := range g.n {
		for _, j := range v.CSR.Row(i) {
			far := max(i-int(j), int(j)-i)
			v.CSR.Val = append(v.CSR.Val, float64(((i+int(j))*7919+far*104729)%997+1))
		}
	}
	return v
}

func (g *graph) typ() tensor.Type {
	return tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(g.n, g.n)}
}

// maker makes the files of a run, each from a seed of its own, so that a case
// has the same data whichever others are run.
type maker struct{ dir string }

func source(name string) *rand.Rand {
	seed := uint64(42)
	for _, c := range []byte(name) {
		seed = seed*1099511628211 + uint64(c)
	}
	return rand.New(rand.NewPCG(42, seed))
}

// kinds of a dense random graph.
const (
	directed   = "directed"
	undirected = "undirected"
	acyclic    = "acyclic"
)

// random has each possible edge with probability p: all pairs of different
// nodes, or those from a lower to a higher number.
func (m maker) random(n int, p float64, kind string) *graph {
	name := fmt.Sprintf("%s-%d-%g", kind, n, p)
	r := source(name)
	g := &graph{n: n, directed: kind != undirected}
	for i := range n {
		for j := range n {
			if i < j || i != j && kind == directed {
				if r.Float64() < p {
					g.src, g.dst = append(g.src, int32(i)), append(g.dst, int32(j))
				}
			}
		}
	}
	g.file = m.columns(name, [][]int32{g.src, g.dst})
	return g
}

// uniform has about that many edges with both ends anywhere, in no order. Loops
// and repeated edges are left out, and an undirected pair is in one order only.
func (m maker) uniform(n, edges int, kind string) *graph {
	name := fmt.Sprintf("uniform-%s-%d-%d", kind, n, edges)
	r := source(name)
	g := &graph{n: n, directed: kind == directed, src: make([]int32, edges), dst: make([]int32, edges)}
	for e := range edges {
		i, j := r.Int32N(int32(n)), r.Int32N(int32(n))
		for i == j {
			j = r.Int32N(int32(n))
		}
		if kind == undirected {
			i, j = min(i, j), max(i, j)
		}
		g.src[e], g.dst[e] = i, j
	}
	g.dropRepeated()
	g.file = m.columns(name, [][]int32{g.src, g.dst})
	return g
}

// dropRepeated keeps the first of equal edges, and the order of the others.
func (g *graph) dropRepeated() {
	a, _ := tensor.BuildCSR(g.n, g.n, g.src, g.dst, nil)
	seen := make([]bool, a.NNZ())
	kept := 0
	for e, i := range g.src {
		k, _ := slices.BinarySearch(a.Row(int(i)), g.dst[e])
		if at := int(a.Ptr[i]) + k; !seen[at] {
			seen[at] = true
			g.src[kept], g.dst[kept] = i, g.dst[e]
			kept++
		}
	}
	g.src, g.dst = g.src[:kept], g.dst[:kept]
}

// columns writes lists of the same length, each a row of an .npy file.
func (m maker) columns(name string, list [][]int32) string {
	return m.npy(name, "<i4", len(list), len(list[0]), slices.Concat(list...))
}

// real is an n x n matrix of numbers in [0, 1).
func (m maker) real(name string, n int) (v *tensor.Value, file string) {
	name = fmt.Sprintf("real-%s-%d", name, n)
	r := source(name)
	v = &tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(n, n)}, F: make([]float64, n*n)}
	for i := range v.F {
		v.F[i] = r.Float64()
	}
	return v, m.npy(name, "<f8", n, n, v.F)
}

// text writes the edges a line each.
func (m maker) text(g *graph, name, separator string) string {
	var b []byte
	for e, i := range g.src {
		b = append(strconv.AppendInt(b, int64(i), 10), separator...)
		b = append(strconv.AppendInt(b, int64(g.dst[e]), 10), '\n')
	}
	return m.write(name, b)
}

// write writes a file. Where that fails, nothing can be measured.
func (m maker) write(name string, content []byte) (file string) {
	file = filepath.Join(m.dir, name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		panic(err)
	}
	return file
}

// npy writes a version 1.0 file, whose header is padded so that the data is aligned.
func (m maker) npy(name, kind string, rows, cols int, data any) string {
	h := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", kind, rows, cols)
	for (10+len(h)+1)%64 != 0 {
		h += " "
	}
	h += "\n"
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(h)))
	b, err := binary.Append(append(b, h...), binary.LittleEndian, data)
	if err != nil {
		panic(err)
	}
	return m.write(name+".npy", b)
}
