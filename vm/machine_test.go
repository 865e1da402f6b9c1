package vm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"ein/lang"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/op"
	"ein/vm/tensor"
)

func checkProgram(op code.Op, arg tensor.Value) *code.Program {
	return single(op, code.Attr{}, nil, []tensor.Value{arg})
}

// TestRuntimeErrors has every failure that only a run can find.
func TestRuntimeErrors(t *testing.T) {
	at := func(op code.Op, dst code.Reg, args ...tensor.Value) *code.Program {
		return single(op, code.Attr{}, &dst, args)
	}
	g := packed(chain)
	bytes := func(n int, nonNeg bool) *code.Program {
		p := at(code.OneHot, bitsReg(5), whole(scalar(1)))
		p.Inputs[0].Bytes, p.Inputs[0].NonNeg = n, nonNeg
		return p
	}
	cut := code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(2, 2)}, Layout: tensor.Sparse, NNZ: 4}
	counting := &code.Micro{Shape: []int{2}, Strides: [][]int{{1}}, Code: []op.Micro{{Fn: op.FnAdd, Dst: 1, A: 0, B: 0}, {Fn: op.FnCheck, A: 1}}}
	for _, c := range []struct {
		name    string
		program *code.Program
		args    []tensor.Value
		kind    vm.Kind
		message string
	}{
		{"NaN", checkProgram(code.CheckFinite, vec(0, nan)), []tensor.Value{vec(0, nan)}, vm.NotFinite, "it is NaN, from 0/0 or the like at [1]"},
		{"infinity", checkProgram(code.CheckFinite, mat(2, 0, 0, -inf, 0)), []tensor.Value{mat(2, 0, 0, -inf, 0)}, vm.NotFinite, "it is infinite at [1, 0]"},
		{"infinite scalar", checkProgram(code.CheckFinite, scalar(inf)), []tensor.Value{scalar(inf)}, vm.NotFinite, "it is infinite"},
		{"2^53", checkProgram(code.CheckInt, vec(1, tensor.MaxInt)), []tensor.Value{vec(1, tensor.MaxInt)}, vm.Inexact, "2^53"},
		{"-2^53", checkProgram(code.CheckInt, vec(-tensor.MaxInt)), []tensor.Value{vec(-tensor.MaxInt)}, vm.Inexact, "2^53"},
		{"2^53 in a loop", single(code.Fused, code.Attr{Micro: counting}, &code.Reg{Type: denseReg(2).Type}, []tensor.Value{vec(1, 1<<52)}), []tensor.Value{vec(1, 1<<52)}, vm.Inexact, "2^53"},
		{"index", at(code.OneHot, bitsReg(5), scalar(5)), []tensor.Value{scalar(5)}, vm.BadIndex, "position 5 does not exist: there are 5"},
		{"negative index", at(code.Walk, bitsReg(5), g, scalar(-1)), []tensor.Value{g, scalar(-1)}, vm.BadIndex, "position -1"},
		{"fractional index", at(code.Path, denseReg(5), g, scalar(0), scalar(0.5)), []tensor.Value{g, scalar(0), scalar(0.5)}, vm.BadIndex, "found 0.5"},
		{"NaN as an index", at(code.Dist, denseReg(5), g, scalar(nan)), []tensor.Value{g, scalar(nan)}, vm.BadIndex, "found NaN"},
		{"infinite index", at(code.OneHot, bitsReg(5), scalar(inf)), []tensor.Value{scalar(inf)}, vm.BadIndex, "found +Inf"},
		{"index of nothing", at(code.OneHot, bitsReg(0), scalar(0)), []tensor.Value{scalar(0)}, vm.BadIndex, "there are 0"},
		{"selected index", single(code.Select, axes(1), &code.Reg{Type: denseReg(5).Type}, []tensor.Value{chain, scalar(9)}), []tensor.Value{chain, scalar(9)}, vm.BadIndex, "position 9"},
		{"too few inputs", at(code.OneHot, bitsReg(5), scalar(1)), nil, vm.BadInput, "1 inputs, 0 were bound"},
		{"input of another shape", at(code.OneHot, bitsReg(5), scalar(1)), []tensor.Value{vec(1)}, vm.BadInput, "input in0"},
		{"input of more bytes", bytes(1, false), []tensor.Value{whole(scalar(256))}, vm.BadInput, "compiled for numbers up to 255, found 256"},
		{"input below 0", bytes(0, true), []tensor.Value{whole(scalar(-1))}, vm.BadInput, "compiled for numbers from 0, found -1"},
		{"exact sum of 2^53", single(code.Exact, code.Attr{Spec: spec("i->", 2)}, &code.Reg{Type: whole(scalar(0)).Type}, []tensor.Value{whole(vec(1<<52, 1<<52))}), []tensor.Value{whole(vec(1<<52, 1<<52))}, vm.Inexact, "2^53"},
		{"weight below 0", at(code.PageRank, denseReg(2), mat(2, 0, 1, -1, 0), scalar(.85)), []tensor.Value{mat(2, 0, 1, -1, 0), scalar(.85)}, vm.Negative, "that of the edge 1 -> 0 is -1"},
		{"cut from a node to itself", at(code.MinCut, cut, mat(2, 0, 1, 1, 0), scalar(1), scalar(1)), []tensor.Value{mat(2, 0, 1, 1, 0), scalar(1), scalar(1)}, vm.BadIndex, "both are 1"},
		{"flow without bound", at(code.MinCut, cut, mat(2, 0, inf, 1, 0), scalar(0), scalar(1)), []tensor.Value{mat(2, 0, inf, 1, 0), scalar(0), scalar(1)}, vm.NotFinite, "the path 0 -> 1 are infinite"},
		{"input of another layout", at(code.Closure, bitsReg(5, 5), g), []tensor.Value{sparse(chain, false)}, vm.BadInput, "input in0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, mod := newMachine(t, c.program, 1)
			r, err := bindAndRun(context.Background(), m, c.args)
			var e *vm.RuntimeError
			if !errors.As(err, &e) || r != nil {
				t.Fatalf("%v, %v", r, err)
			}
			if e.Kind != c.kind || !strings.Contains(e.Error(), c.message) {
				t.Errorf("kind %d: %s, want %d: %s", e.Kind, e, c.kind, c.message)
			}
			if pos := mod.Program.Pos[0]; c.kind != vm.BadInput && e.Pos != pos {
				t.Errorf("at %v, want %v", e.Pos, pos)
			}
			if err := sound(mod, m, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestInexactCounts has the counts of the kernels that count in integers.
func TestInexactCounts(t *testing.T) {
	const text = "n = 94906266\nx[i] = ones(2)[i] * n\nResult = x[i] x[i]"
	if _, err := runText(t, text, lang.Options{}, nil); err == nil || !strings.Contains(err.Error(), "2^53") {
		t.Error(err)
	}
}

// TestMeter: under a limit below its bound a metered program runs, and is stopped at
// the same point however many goroutines there are; what is not metered is refused.
func TestMeter(t *testing.T) {
	const text = "i = range(400)\nW[a,b] = (i[a] < i[b]) * (i[b] - i[a] < 9) * (i[a] + 1)\nT = tc(W > 3)\nf = maxflow(W, 0, 399)\n:print f, count(T)"
	var first *vm.Exceeded
	for workers := 1; workers <= 4; workers++ {
		mod, _, err := lang.Load("t.ein", text, lang.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		c := &mod.Certificate
		run := func(l cost.Limits) (*vm.Result, error) {
			m, err := vm.New(mod, l)
			if err != nil {
				return nil, err
			}
			return m.Run(context.Background())
		}
		r, err := run(cost.Limits{MaxOps: c.Ops, Strict: true})
		if err != nil || !c.Certified(c.Ops) || c.Certified(c.Ops-1) || c.Certified(0) {
			t.Fatal(err)
		}
		if r, err := run(cost.Limits{MaxOps: c.Unmetered + r.Stats.Ops}); err != nil || c.Unmetered+r.Stats.Ops >= c.Ops {
			t.Fatal(r, err)
		}
		var refused *cost.LimitError
		if _, err := run(cost.Limits{MaxOps: c.Ops - 1, Strict: true}); !errors.As(err, &refused) || !refused.Metered || refused.Need != c.Ops {
			t.Fatal(err)
		}
		if _, err := run(cost.Limits{MaxOps: c.Unmetered - 1}); !errors.As(err, &refused) || refused.Metered || refused.Need != c.Unmetered || refused.Name == "f" {
			t.Fatal(err)
		}
		var over *vm.Exceeded
		if _, err := run(cost.Limits{MaxOps: c.Unmetered + 3000}); !errors.As(err, &over) || over.Max != c.Unmetered+3000 {
			t.Fatal(err)
		}
		if first == nil {
			first = over
		}
		if *over != *first || !strings.Contains(over.Sofar, "a flow of") {
			t.Errorf("%d goroutines: %+v, with one %+v", workers, over, first)
		}
	}
}

// load compiles a text and allocates its machine.
func load(t testing.TB, text string, opt lang.Options) (*vm.Machine, *cost.Module) {
	t.Helper()
	mod, _, err := lang.Load("t.ein", text, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := vm.New(mod, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m, mod
}

func runText(t testing.TB, text string, opt lang.Options, inputs []tensor.Value) (*vm.Result, error) {
	t.Helper()
	m, _ := load(t, text, opt)
	return bindAndRun(context.Background(), m, inputs)
}

func bindAndRun(ctx context.Context, m *vm.Machine, inputs []tensor.Value) (*vm.Result, error) {
	if err := m.Bind(ctx, inputs); err != nil {
		return nil, err
	}
	return m.Run(ctx)
}

const everyKernel = `input A: graph
input x: vector
Total = sum(x)
Scaled = x / Total
Product[i] = A[i,j] x[j]
Two[i,k] = A[i,j] A[j,k]
Trace = trace(A)
Third[i,l] = Two[i,k] A[k,l]
Triangle = trace(Third) / 6
Closed = tc(A)
Near = reach(A, 0)
Before = anc(A, 1)
Far = dist(A, 0)
Way = path(A, 0, 2)
Parts = scc(A)
Count = triangles(A)
Both = sym(A)
Norm = softmax(x, 0)
Best = argmax(x)
Row = Closed[2, j] > 0
Short = min(A, 1 - Closed)
Middle[i,k] min= Two[i,j] + A[j,k]
:print Total, Scaled, Product, Two, Trace, Triangle, Closed, Near, Before, Far, Way, Parts, Count, Both, Norm, Best, Short, Middle
`

// randomInputs is a graph of n nodes and a positive vector.
func randomInputs(r *rand.Rand, n int, layout func(tensor.Value) tensor.Value) []tensor.Value {
	g := make([]float64, n*n)
	for i := range g {
		if r.IntN(4) == 0 {
			g[i] = 1
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(1 + r.IntN(9))
	}
	return []tensor.Value{layout(mat(n, g...)), vec(x...)}
}

func options(inputs []tensor.Value, workers int) lang.Options {
	return lang.Options{Workers: workers, Inputs: map[string]*tensor.Value{"A": &inputs[0], "x": &inputs[1]}}
}

func values(r *vm.Result) (all [][]float64) {
	for _, o := range r.Outputs {
		all = append(all, o.Value.ToDense())
	}
	return all
}

// roomy is a CSR input with a bound that other graphs of its size fit, too.
func roomy(mod *cost.Module) {
	for i := range mod.Program.Regs {
		if r := &mod.Program.Regs[i]; r.Layout == tensor.Sparse {
			r.NNZ = int(r.Shape.Elems())
		}
	}
}

// TestReuse runs one machine on many inputs: each result is that of a new
// machine.
func TestReuse(t *testing.T) {
	const n = 9
	for name, layout := range map[string]func(tensor.Value) tensor.Value{"bits": packed, "csr": func(v tensor.Value) tensor.Value { return sparse(v, false) }} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			first := randomInputs(r, n, layout)
			mod, _, err := lang.Load("t.ein", everyKernel, options(first, 2))
			if err != nil {
				t.Fatal(err)
			}
			roomy(mod)
			if mod, err = lang.Module(mod.Program, lang.Options{Workers: 2}); err != nil {
				t.Fatal(err)
			}
			fresh := func() *vm.Machine {
				m, err := vm.New(mod, cost.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			old := fresh()
			for i := range 40 {
				inputs := randomInputs(r, n, layout)
				want := values(mustRun(t, fresh(), mod, inputs))
				vm.Soil(old, []float64{nan, 1, inf, -1}[i%4], ^uint64(0), int32(i%2*math.MaxInt32)-1)
				got := values(mustRun(t, old, mod, inputs))
				for k := range want {
					if !equal(got[k], want[k]) {
						t.Fatalf("run %d, output %d: %v, a new machine gives %v", i, k, got[k], want[k])
					}
				}
			}
		})
	}
}

// TestNoAllocations: a run lives in the memory that New took.
func TestNoAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, layout := range map[string]func(tensor.Value) tensor.Value{"bits": packed, "csr": func(v tensor.Value) tensor.Value { return sparse(v, false) }} {
		for _, plain := range []bool{false, true} {
			inputs := randomInputs(r, 12, func(v tensor.Value) tensor.Value {
				for i := range v.F { // both ways: a warning is a text, which is allocated
					v.F[i] = v.F[i/12+i%12*12]
				}
				return layout(v)
			})
			opt := options(inputs, 1)
			opt.NoOpt = plain
			m, mod := load(t, everyKernel, opt)
			mustRun(t, m, mod, inputs)
			n := 1.0
			for range 20 { // the race detector makes a sync.Pool lose some of what it is given
				if n = testing.AllocsPerRun(1, func() { mustRun(t, m, mod, inputs) }); n == 0 {
					break
				}
			}
			if n != 0 {
				t.Errorf("%s, plain %v: %v allocations", name, plain, n)
			}
		}
	}
	for _, c := range denseCases() {
		m, mod := newMachine(t, single(c.op, c.attr, &c.dst, c.args), 1)
		mustRun(t, m, mod, c.args)
		if n := testing.AllocsPerRun(5, func() {
			if _, err := m.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// TestConcurrentMachines runs many machines of one module at once; -race looks
// for what they share.
func TestConcurrentMachines(t *testing.T) {
	inputs := randomInputs(rand.New(rand.NewPCG(5, 6)), 70, packed)
	m, mod := load(t, everyKernel, options(inputs, 4))
	want := values(mustRun(t, m, mod, inputs))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			m, err := vm.New(mod, cost.Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				r, err := bindAndRun(context.Background(), m, inputs)
				if err != nil {
					t.Error(err)
					return
				}
				for k, got := range values(r) {
					if !equal(got, want[k]) {
						t.Errorf("output %d differs", k)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestWarning: the count of undirected triangles of a graph with one-way edges.
func TestWarning(t *testing.T) {
	for _, g := range []tensor.Value{packed(chain), sparse(chain, false)} {
		m, mod := newMachine(t, checkProgram(code.CheckSymmetric, g), 1)
		for range 2 {
			r := mustRun(t, m, mod, []tensor.Value{g})
			if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, " 4 one-way edges") || r.Warnings[0].Pos != mod.Program.Pos[0] {
				t.Fatalf("%+v", r.Warnings)
			}
		}
	}
	for _, g := range []tensor.Value{packed(square), sparse(square, false)} {
		m, mod := newMachine(t, checkProgram(code.CheckSymmetric, g), 1)
		if r := mustRun(t, m, mod, []tensor.Value{g}); len(r.Warnings) != 0 {
			t.Fatalf("%+v", r.Warnings)
		}
	}
}

// TestRefused: New compares each limit with the certificate, and says which
// statement needs most.
func TestRefused(t *testing.T) {
	const text = "Small = ones(3)\nBig = ones(20, 20)\nResult[i,k] = Big[i,j] Big[j,k]\n:print Small, Result"
	mod, _, err := lang.Load("t.ein", text, lang.Options{Workers: 1, NoOpt: true})
	if err != nil {
		t.Fatal(err)
	}
	c := &mod.Certificate
	for _, limits := range []cost.Limits{{MaxOps: c.Ops - 1}, {MaxBytes: c.PeakBytes - 1}, {MaxOutputElements: c.OutputElements - 1}} {
		m, err := vm.New(mod, limits)
		var e *cost.LimitError
		if m != nil || !errors.As(err, &e) || e.Need != e.Max+1 || e.Name == "Small" || !strings.Contains(e.Error(), e.What) {
			t.Errorf("%+v: %v %+v", limits, err, e)
		}
	}
	if _, err := vm.New(mod, cost.Limits{MaxOps: c.Ops, MaxBytes: c.PeakBytes, MaxOutputElements: c.OutputElements}); err != nil {
		t.Error(err)
	}
}

// TestStopped: a context that is done stops a run before it begins, and the
// error has its cause.
func TestStopped(t *testing.T) {
	m, mod := load(t, "Result = sum(ones(3, 3))", lang.Options{Workers: 1})
	cause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if r, err := m.Run(ctx); r != nil || !errors.Is(err, vm.ErrStopped) || !errors.Is(err, cause) {
		t.Errorf("%v, %v", r, err)
	}
	if s := m.Stats(); s.Ops != 0 {
		t.Errorf("%d operations", s.Ops)
	}
	mustRun(t, m, mod, nil)
	if _, err := bindAndRun(context.Background(), m, make([]tensor.Value, 1)); err == nil || m.Stats().Ops != 0 {
		t.Errorf("%v, %d operations of a run that did not begin", err, m.Stats().Ops)
	}
}
