package language

import (
	"fmt"
	"time"

	"gonum.org/v1/gonum/blas"

	"ein"
	"ein/lang/describe"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/op"
	"ein/vm/simd"

	"ein/cmd/ein/internal/cli"
)

// times are the steps of a run in the order in which they began.
type times struct {
	at    []begun
	ended time.Time
	ops   uint64 // of all steps
}

// begun is a step with the time at which it began.
type begun struct {
	vm.Progress
	time time.Time
}

// see is called by Machine.Watch. Reports within a step, which come from any goroutine, change
// nothing.
func (t *times) see(at vm.Progress) {
	if n := len(t.at); n == 0 || t.at[n-1].Step != at.Step {
		t.at = append(t.at, begun{at, time.Now()})
	}
}

// end ends the last step. A failed run has no result, and what its last step computed is not
// reported.
func (t *times) end(r *ein.Result) {
	t.ended = time.Now()
	if r != nil {
		t.ops = r.Stats.Ops
	} else if n := len(t.at); n > 0 {
		t.ops = t.at[n-1].Ops
	}
}

// tell prints what each step took, what it computed, and what it read and wrote, as rates beside
// those that the machine can reach.
func (t *times) tell(a *cli.App, p *ein.Program) {
	all := time.Duration(1)
	if len(t.at) > 0 {
		all = max(all, t.ended.Sub(t.at[0].time))
	}
	a.Printf("%12s %6s %9s %9s  %s\n", "time", "share", "Gop/s", "GB/s", "statement and kernel")
	for i := range t.at {
		s, ended, ops := &t.at[i], t.ended, t.ops
		if i+1 < len(t.at) {
			ended, ops = t.at[i+1].time, t.at[i+1].Ops
		}
		took := max(ended.Sub(s.time), 1)
		bytes := fmt.Sprintf("%.3g", rate(moved(p, s.Step), took))
		if s.Step.Loose {
			bytes = "-" // only the run knew how many
		}
		a.Printf("%12v %4d %% %9.3g %9s  %s\n", took.Round(100*time.Nanosecond), 100*took/all, rate(ops-s.Ops, took), bytes,
			describe.Doing(p.Source(), p.Code(), s.Progress))
	}
	a.Printf("one core of this machine: %s\n", probe())
}

// rate is in thousand millions a second.
func rate(n uint64, took time.Duration) float64 { return float64(n) / float64(took.Nanoseconds()) }

// moved returns how many bytes a step reads and writes, each value counted once.
func moved(p *ein.Program, s *cost.Step) (n uint64) {
	regs := p.Code().Regs
	for _, r := range s.Args {
		n += cost.Bytes(cost.Need(&regs[r]))
	}
	if s.Dst >= 0 {
		n += cost.Bytes(cost.Need(&regs[s.Dst]))
	}
	return n
}

// probe measures what the machine can reach, in some hundredths of a second.
func probe() string {
	const n, large = 256, 1 << 23
	x, y, z := make([]float64, large), make([]float64, n*n), make([]float64, n*n)
	bits := make([]uint64, 1<<10)
	for i := range x {
		x[i] = 1
	}
	best := func(work uint64, do func()) float64 {
		took := time.Hour
		for range 5 {
			start := time.Now()
			do()
			took = min(took, max(time.Since(start), 1))
		}
		return rate(work, took)
	}
	return fmt.Sprintf("%.3g Gop/s in products of matrices, %.3g in counts of bits, %.3g GB/s from memory",
		best(n*n*n, func() { simd.BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n) }),
		best(1000*uint64(len(bits)), func() {
			for range 1000 {
				simd.Best.PopAnd(bits, bits)
			}
		}),
		best(8*large, func() { simd.Best.Fold(op.FoldSum, 0, x) }))
}
