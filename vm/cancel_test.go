package vm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// randomCSR is a graph of n nodes, each with the given number of edges to
// nodes at most span further on: the smaller the span, the longer the paths.
func randomCSR(n, degree, span int, weights bool) tensor.Value {
	r := rand.New(rand.NewPCG(uint64(n), uint64(degree)))
	v := tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse, CSR: tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1)}}
	if weights {
		v.Kind = tensor.Real
	}
	gap := max(span/degree, 1)
	for i := range n {
		to := i
		for range degree {
			if to += 1 + r.IntN(gap); to < n {
				v.CSR.Idx = append(v.CSR.Idx, int32(to))
				if weights {
					v.CSR.Val = append(v.CSR.Val, 1.5)
				}
			}
		}
		v.CSR.Ptr[i+1] = int32(len(v.CSR.Idx))
	}
	return v
}

func randomPacked(n int) tensor.Value {
	r := rand.New(rand.NewPCG(uint64(n), 0))
	v := tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Packed, Bits: tensor.NewBits(n, n)}
	for i := range v.Bits.W {
		v.Bits.W[i] = r.Uint64() & r.Uint64()
	}
	for i := range n {
		if tail := n % 64; tail != 0 {
			v.Bits.Row(i)[v.Bits.Stride-1] &= 1<<tail - 1
		}
	}
	return v
}

type heavy struct {
	name, text string
	graph      func() tensor.Value // of input A, when the text has one
}

func heavyPrograms() []heavy {
	bits := func(n int) func() tensor.Value { return func() tensor.Value { return randomPacked(n) } }
	csr := func(n, degree, span int) func() tensor.Value {
		return func() tensor.Value { return randomCSR(n, degree, span, false) }
	}
	weighted := func(n, degree, span int) func() tensor.Value {
		return func() tensor.Value { return randomCSR(n, degree, span, true) }
	}
	const graph, matrix = "input A: graph\n", "input A: matrix\n"
	const half = "B = (ones(2000, 2000) + 1) * 0.5\n"
	return []heavy{
		{"closure of bits", graph + "x = tc(A)", bits(5000)},
		{"closure of csr", graph + "x = tc(A)", csr(20000, 4, 100)},
		{"scc of bits", graph + "x = scc(A)", bits(8000)},
		{"scc of csr", graph + "x = sum(scc(A), 1)", csr(1_000_000, 4, 1000)},
		{"row of scc", graph + "x = scc(A)[0, j]", csr(1_000_000, 4, 1000)},
		{"scc as a matrix", graph + "x = scc(A) * 2", bits(5000)},
		{"reach on csr", graph + "x = reach(A, 0)", csr(1_000_000, 4, 1000)},
		{"anc on csr", graph + "x = anc(A, 999)", csr(1_000_000, 4, 1000)},
		{"dist on csr", graph + "x = dist(A, 0)", csr(1_000_000, 4, 1000)},
		{"path on csr", graph + "x = path(A, 0, 999999)", csr(1_000_000, 4, 1000)},
		{"dist on bits", graph + "x = dist(A, 0)", bits(8000)},
		{"sym on csr", graph + "x = sum(sym(A), 1)", csr(1_000_000, 4, 1000)},
		{"triangles on csr", graph + "x = triangles(A)", csr(300_000, 20, 1000)},
		{"triangles on bits", graph + "x = triangles(A)", bits(6000)},
		{"trace of the cube", graph + "x = A[i,j] A[j,k] A[k,i] / 6", csr(300_000, 20, 1000)},
		{"trace of the cube of bits", graph + "x = A[i,j] A[j,k] A[k,i] / 6", bits(5000)},
		{"count product", graph + "x[i,k] = A[i,j] A[j,k]", bits(5000)},
		{"boolean product", graph + "P[i,k] = A[i,j] A[j,k]\nx = P > 0", bits(5000)},
		{"degrees", graph + "x = sum(A, 1) + sum(A, 0)", csr(1_000_000, 4, 1000)},
		{"sum of weights", matrix + "x = sum(A, 0)", weighted(1_000_000, 4, 1000)},
		{"matrix times vector", matrix + "v = ones(1000000)\nx[i] = A[i,j] v[j]", weighted(1_000_000, 4, 1000)},
		{"vector times matrix", matrix + "v = ones(1000000)\nx[j] = A[i,j] v[i]", weighted(1_000_000, 4, 1000)},
		{"column of csr", matrix + "x[i] = A[i, 77]", weighted(1_000_000, 4, 1000)},
		{"column of bits", graph + "x[i] = A[i, 77]", bits(8000)},
		{"csr to dense", matrix + "x = A * 2", weighted(5000, 4, 1000)},
		{"bits to dense", graph + "x = A * 2", bits(6000)},
		{"contraction", half + "x[i,k] = B[i,j] B[j,k]", nil},
		{"contraction of a transpose", half + "x[i,k] = B[j,i] B[k,j]", nil},
		{"batched contraction", "v = ones(200) * 0.5\nB[i,j,k] = v[i] v[j] v[k]\nx[b,i,k] = B[b,i,j] B[b,j,k]", nil},
		{"five factors", "B = (ones(400,400) + 1) * 0.5\nC[i,j,k] = B[i,j] B[j,k]\nx[a,f] = B[a,b] C[b,c,d] B[c,e] C[e,f,d] B[f,a]", nil},
		{"outer product", "v = (ones(8000) + 1) * 0.5\nx[i,j] = v[i] v[j]", nil},
		{"diagonal", "v = ones(7000) * 1.5\nx[i,i] = v[i]", nil},
		{"transpose", "B = (ones(7000, 7000) + 1) * 0.5\nx = transpose(B)", nil},
		{"sum of columns", "B = (ones(7000, 7000) + 1) * 0.5\nx = sum(B, 0)", nil},
		{"min-plus", "D = ones(1000, 1000) * 1.5\nx[i,k] min= D[i,j] + D[j,k]", nil},
		{"elementwise", "B = ones(7000, 7000)\nx = sqrt(exp(B * 0.25) + tanh(B)) / 3", nil},
		{"elementwise fold", "B = ones(7000, 7000)\nx = max(exp(B * 0.25) + tanh(B), axis=0)", nil},
		{"softmax", "x = softmax(ones(7000, 7000) * 0.5, 0)", nil},
		{"argmax", "B = ones(7000, 7000) * 0.5\nx = argmax(B + transpose(B), 0)", nil},
		{"slice", "v = ones(400) * 0.5\nT[i,j,k] = v[i] v[j] v[k]\nU = T + 1\nx[i,k] = U[i, 3, k]\ny = U[2,1,0]\n:print x, y, U", nil},
		{"slice of 8 axes", "v = ones(9) * 0.5\nT[a,b,c,d,e,f,g,h] = v[a] v[b] v[c] v[d] v[e] v[f] v[g] v[h]\nx = T[a,b,c,d,e,f,g,2] + 1\n:print x, T", nil},
		{"many statements", "x = ones(100, 100) * 0.5\n" + repeat("x[i,k] = x[i,j] x[j,k]\nx = x / max(x)\n", 2000), nil},
	}
}

func repeat(s string, n int) (out string) {
	for range n {
		out += s
	}
	return out
}

// TestCancel cancels the heaviest programs of each kernel after a random part
// of their time. The run has to end; how soon it does is in the log, with the
// promise of 10 ms to be read by people: a loaded machine is no proof.
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute and some GB")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range heavyPrograms() {
		t.Run(c.name, func(t *testing.T) {
			opt := lang.Options{Workers: 2}
			var inputs []tensor.Value
			if c.graph != nil {
				inputs = []tensor.Value{c.graph()}
				opt.Inputs = map[string]*tensor.Value{"A": &inputs[0]}
			}
			mod, _, err := lang.Load("t.ein", c.text, opt)
			if err != nil {
				t.Fatal(err)
			}
			m, err := vm.New(mod, cost.Limits{MaxBytes: 3 << 30})
			if err != nil {
				t.Fatal(err)
			}
			// The time of the run is not known: the delays grow until it ends first.
			worst, stopped := time.Duration(0), 0
			for delay := 3 * time.Millisecond; delay < 300*time.Millisecond; delay = delay*3/2 + time.Duration(r.IntN(int(delay))) {
				ctx, cancel := context.WithCancel(context.Background())
				var at time.Time
				timer := time.AfterFunc(delay, func() { at = time.Now(); cancel() })
				_, err := bindAndRun(ctx, m, inputs)
				end := time.Now()
				if timer.Stop() {
					cancel()
					break // it was faster
				}
				<-ctx.Done()
				if err != nil && !errors.Is(err, vm.ErrStopped) {
					t.Fatal(err)
				}
				if err == nil {
					break
				}
				stopped++
				worst = max(worst, end.Sub(at))
				if late := end.Sub(at); late > 8*time.Millisecond {
					t.Logf("after %v and %d operations: %v", delay, m.Stats().Ops, late)
				}
				if s := m.Stats(); s.Ops > mod.Certificate.Ops {
					t.Errorf("stopped after %d operations, the certificate says %d", s.Ops, mod.Certificate.Ops)
				}
			}
			t.Logf("stopped %d times, at most %v later", stopped, worst.Round(10*time.Microsecond))
			if worst > 2*time.Second {
				t.Errorf("it took %v", worst)
			}
		})
	}
}

// TestInputIsChecked: a value that is made for another program is refused.
func TestInputIsChecked(t *testing.T) {
	v := randomCSR(10, 2, 4, true)
	opt := lang.Options{Inputs: map[string]*tensor.Value{"A": &v}}
	m, mod := load(t, "input A: matrix\nx = sum(A)", opt)
	mustRun(t, m, mod, []tensor.Value{v})
	bad := v
	bad.CSR.Val = append([]float64{0}, v.CSR.Val[1:]...)
	var e *vm.RuntimeError
	if _, err := bindAndRun(context.Background(), m, []tensor.Value{bad}); !errors.As(err, &e) || e.Kind != vm.BadInput || e.Hint == "" {
		t.Error(err)
	}
	if _, err := m.Run(context.Background()); !errors.As(err, &e) || !strings.Contains(e.Message, "1 inputs, 0 were bound") {
		t.Errorf("run without its input: %v", err)
	}
	if r := mustRun(t, m, mod, []tensor.Value{v}); math.IsNaN(r.Outputs[0].Value.F[0]) {
		t.Error(r.Outputs[0].Value.F)
	}
}

// TestWatch checks that the progress of a run only grows, up to what was certified, and is of the
// steps in their order, on one goroutine and on several.
func TestWatch(t *testing.T) {
	for _, workers := range []int{1, 3} {
		a := randomPacked(1500)
		opt := lang.Options{Workers: workers, Inputs: map[string]*tensor.Value{"A": &a}}
		mod, _, err := lang.Load("t.ein", "input A: graph\nC[i,k] = A[i,j] A[j,k]\nx = tc(A)\ny = max(C) + sum(x)\n:print y", opt)
		if err != nil {
			t.Fatal(err)
		}
		m, err := vm.New(mod, cost.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var lock sync.Mutex
		var told []vm.Progress
		m.Watch(func(p vm.Progress) {
			lock.Lock()
			told = append(told, p)
			lock.Unlock()
		})
		for range 2 {
			told = nil
			if _, err := bindAndRun(context.Background(), m, []tensor.Value{a}); err != nil {
				t.Fatal(err)
			}
			steps := map[*cost.Step]bool{}
			for i, p := range told {
				steps[p.Step] = true
				if p.Done > p.All || p.All != mod.Certificate.Ops || workers == 1 && i > 0 && p.Done < told[i-1].Done {
					t.Fatalf("%d of %d after %d of %d", p.Done, p.All, told[i-1].Done, p.All)
				}
			}
			if len(steps) != len(mod.Steps) || len(told) <= len(steps) || told[0].Done != 0 {
				t.Errorf("%d workers: told %d times of %d steps, there are %d", workers, len(told), len(steps), len(mod.Steps))
			}
		}
		m.Watch(nil)
		told = nil
		if _, err := bindAndRun(context.Background(), m, []tensor.Value{a}); err != nil || told != nil {
			t.Errorf("told %d times of a run that nobody watches, %v", len(told), err)
		}
	}
}
