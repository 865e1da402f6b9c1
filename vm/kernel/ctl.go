// Package kernel does the arithmetic of the machine: contractions through BLAS, bit-packed and
// sparse graph kernels, elementwise loops and reductions.
//
// # The contract
//
// A kernel takes raw slices and a [*Ctl], writes to memory that its caller provides, and
// allocates nothing unless its doc says so. [Scratch] memory is passed in and may hold anything;
// the kernel clears what it needs. A kernel polls Ctl.Done every few milliseconds and, if the run
// was cancelled, stops by a panic that [Finished] catches. It starts goroutines, if at all, only
// above a threshold of work ([ParallelOps]).
//
// Every kernel whose work depends on sizes has a function with the suffix Cost that bounds it:
// the operations that a kernel adds to Ctl.Ops never exceed that bound. If the bound says little
// about the actual work, the kernel is metered: it asks the Ctl before it works, on one
// goroutine, and so stops at the same point on every machine. Contractions and elementwise loops
// have a plan, made once for their shapes; a run only executes it.
//
// A [Ctl] carries the limits of a call in and its count of operations out; a [Cost] is the bound
// of a call and the scratch it needs. Plans are [Unary], [Pair] and [Many] for contractions of
// one, two and more tensors, [Exact] for those of whole numbers that could pass 2^53, [Semiring],
// [Reduce], [Fused] and [CSRFold]. A [Net] is a graph with weights, whose rows read alike in
// every layout; a [Flaw] says why a graph has no answer. Inside, a meter counts work, polls Done,
// and charges metered work.
//
// # Which kernel does what
//
//	product of two tensors    loops over batches of GEMM, GEMV, DOT or GER, 3x3 register tiles
//	                          for the smallest, or plain loops; the planner costs several ways
//	                          to lay out the operands (einsum_pair.go)
//	0/1 product, counted      population count of pairs of rows (bits.go)
//	0/1 product, not counted  method of the four Russians; with few ones, OR of rows
//	max or min of sums        row kernels for matrices, else one fused loop (semiring.go); along
//	                          one axis of sparse matrices, over their entries and the best of the
//	                          rest of each line (fold_csr.go)
//	elementwise expression    one loop of up to 10 functions over blocks, optionally with a fold
//	                          at its end (fuse_plan.go, fuse_run.go)
//	closure                   up to 64 nodes Warshall on words; else components in reverse
//	                          topological order, OR of rows, covered successors skipped
//	                          (Goralčíková and Koubek; closure.go)
//	components                two searches with early exit for one big component, else Tarjan
//	search                    breadth-first: on bits with a cursor over frontier words, on CSR
//	                          with the row starts of a batch read ahead (bfs.go)
//	triangles                 on bits the upper half, AND of rows at the edges; on CSR the forward
//	                          algorithm, each edge at its end of lower degree
//	trace of a third power    one AND with a count for each edge
//	lightest paths            Dijkstra with a heap of four children, Bellman and Ford where a weight
//	                          may be negative (shortest.go)
//	maximum flow              Dinic, with the nearest cut from its last search (flow.go); metered
//	spanning forest           Kruskal; bridges and cut nodes by one depth-first search, PageRank over
//	                          the transpose, betweenness by Brandes (structure.go)
//
// Tests compare each kernel with a naive one, written from the definition, and its count of
// operations with its bound.
package kernel

import (
	"ein/vm/simd"
	"ein/vm/tensor"
)

// Ctl is the run-time control of a kernel call: what it may use and what it
// reports. It is owned by one goroutine; a kernel that starts others adds their
// work up before it returns.
type Ctl struct {
	Done    <-chan struct{} // closed when the run is cancelled; may be nil
	Ops     uint64          // work done: scalar multiply-adds and 64-bit word operations
	Workers int             // goroutines a kernel may use; below 2 means none but its own
	Tier    simd.Tier       // instructions to use; 0 for the best there are

	// Limit is the most that Ops may come to in a kernel that is metered, 0 for no
	// limit. Over says that one has stopped for it. Such a kernel does its work in one
	// order, so that it stops at the same point on every machine.
	Limit uint64
	Over  bool

	// Finite says that the last elementwise expression has written neither NaN nor an
	// infinity, as far as that came out on the way.
	Finite bool

	// Tell, when not nil, is told of work since before whenever a kernel looks at Done,
	// by any of its goroutines.
	Tell func(ops uint64)
	told uint64
}

// PollOps is how much work a kernel may do between two looks at Done: about a
// millisecond of the slowest kernel.
const PollOps = 1 << 16

// ParallelOps is the least work for which a kernel starts a second goroutine:
// below it, handing work over costs more than it saves.
const ParallelOps = 1 << 20

// Stopped reports whether the run was cancelled.
func (c *Ctl) Stopped() bool {
	if c.Tell != nil && c.Ops > c.told {
		c.Tell(c.Ops - c.told)
		c.told = c.Ops
	}
	if c.Done == nil {
		return false
	}
	select {
	case <-c.Done:
		return true
	default:
		return false
	}
}

// Poll stops the kernel that calls it if the run was cancelled.
func (c *Ctl) Poll() {
	if c.Stopped() {
		Stop()
	}
}

// stop is the panic that ends a kernel: it may have to stop in a hundred places, and no function on the
// way could do anything about it.
type stop struct{}

// Stop ends the kernel that calls it, and leaves its results unspecified.
func Stop() { panic(stop{}) }

// Finished runs kernels, and reports whether they came to an end by themselves.
func Finished(run func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil && r != any(stop{}) {
			panic(r)
		}
	}()
	run()
	return true
}

// Cost is an upper bound of a kernel call: its operations, and the scratch it
// needs in words of each type.
type Cost struct {
	Ops uint64
	F   uint64 // []float64
	W   uint64 // []uint64
	I   uint64 // []int32
}

// Scratch is the working memory of a kernel call, each slice at least as long
// as its Cost says.
type Scratch struct {
	F []float64
	W []uint64
	I []int32
}

// Copies of it would be kilobytes.
//
//go:noinline
func satMul(a ...uint64) uint64 {
	p := uint64(1)
	for _, x := range a {
		p = tensor.SatMul(p, x)
	}
	return p
}
