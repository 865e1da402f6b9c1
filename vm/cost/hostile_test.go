package cost_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"ein/internal/naive/gen"
	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
)

// TestCertificate holds what random programs use against what their
// certificates say.
func TestCertificate(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 300
	}
	for seed := range n {
		text := gen.Program(rand.New(rand.NewPCG(uint64(seed), 11)))
		for _, plain := range []bool{false, true} {
			mod, _, err := lang.Load("t.ein", text, lang.Options{NoOpt: plain, Workers: 1 + seed%3})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			m, err := vm.New(mod, cost.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Run(context.Background())
			s, c := m.Stats(), &mod.Certificate
			if s.Ops > c.Ops || s.PeakBytes > c.PeakBytes {
				t.Fatalf("seed %d, plain %v: %+v is more than %d operations and %d bytes\n%s", seed, plain, s, c.Ops, c.PeakBytes, text)
			}
			if err != nil {
				continue // a count past 2^53
			}
			elems := uint64(0)
			for _, o := range r.Outputs {
				elems += uint64(len(o.Value.ToDense()))
			}
			if elems != c.OutputElements {
				t.Fatalf("seed %d: %d elements, the certificate says %d", seed, elems, c.OutputElements)
			}
			sum := uint64(0)
			for _, s := range c.Statements {
				sum += s.Ops
			}
			if sum != c.Ops {
				t.Fatalf("seed %d: the statements have %d operations, the program %d", seed, sum, c.Ops)
			}
		}
	}
}

// TestHostile: short texts that ask for more than there is are refused before
// anything is allocated.
func TestHostile(t *testing.T) {
	tower := func(n, steps int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "x = ones(%d)\n", n)
		for range steps {
			b.WriteString("M[i,j] = x[i] x[j]\nx[i] = M[i,j] x[j]\n")
		}
		return b.String() + ":print M\n"
	}
	limits := cost.Limits{MaxOps: 1e9, MaxBytes: 64 << 20, MaxOutputElements: 1e6}
	for _, c := range []struct{ name, text, statement string }{
		{"outer product", "v = ones(100000)\nM[i,j] = v[i] v[j]\n:print M", "M"},
		{"8 axes", "v = ones(1000)\nT[a,b,c,d,e,f,g,h] = v[a] v[b] v[c] v[d] v[e] v[f] v[g] v[h]\n:print T", "T"},
		{"squares of squares", "A = ones(30, 30)\nB[a,b,c,d] = A[a,b] A[c,d]\nC[a,b,c,d,e,f,g,h] = B[a,b,c,d] B[e,f,g,h]\n:print C", "C"},
		{"many outer products", tower(20000, 2000), "M"},
		{"zeros", "x = zeros(1000000000)\n:print x", "x"},
		{"a closure", "x = tc(zeros(1000000, 1000000))\n:print x", "x"},
		{"many elements", "x = zeros(1000, 1001)\n:print x", "x"},
		{"many operations", "A = ones(900, 900) * 1.5\nB[i,k] = A[i,j] A[j,k]\nC[i,k] = B[i,j] A[j,k]\n:print C", "B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, plain := range []bool{false, true} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				mod, _, err := lang.Load("t.ein", c.text, lang.Options{NoOpt: plain, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				m, err := vm.New(mod, limits)
				var e *cost.LimitError
				if m != nil || !errors.As(err, &e) {
					t.Fatalf("plain %v: %v", plain, err)
				}
				if e.Name == "" || !strings.Contains(c.text, e.Name) || e.Need <= e.Max {
					t.Errorf("plain %v: %+v", plain, e)
				}
				if e.What != "output elements" && e.Name != c.statement && plain {
					t.Errorf("plain %v: statement %s, want %s", plain, e.Name, c.statement)
				}
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
					t.Errorf("plain %v: %d MiB", plain, used>>20)
				}
				t.Logf("plain %v: %v in %v", plain, e, time.Since(start).Round(time.Microsecond))
			}
		})
	}
}
