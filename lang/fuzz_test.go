package lang_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ein/internal/corpus"
	"ein/internal/naive"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
)

// tight are limits under which any text ends soon.
var (
	tightText  = lang.Options{Workers: 1, Syntax: syntax.Limits{SourceBytes: 4 << 10}, Check: check.Limits{Nodes: 2000, Elements: 1 << 14}}
	tightRun   = cost.Limits{MaxOps: 1 << 22, MaxBytes: 1 << 22, MaxOutputElements: 1 << 14}
	errRefused = errors.New("refused")
)

// fuzzMemory has what was optimised of the last text.
var fuzzMemory lang.Memory

func fuzzRun(t *testing.T, text string, plain bool) ([]naive.Output, error) {
	opt := tightText
	if opt.NoOpt = plain; !plain {
		opt.Memory = &fuzzMemory
	}
	m, _, err := lang.Load("f.ein", text, opt)
	var rejected *lang.Error
	if errors.As(err, &rejected) {
		return nil, errRefused
	}
	if err != nil {
		t.Fatalf("plain=%v: %v", plain, err)
	}
	if err := code.Verify(m.Program); err != nil {
		t.Fatalf("plain=%v: malformed code: %v", plain, err)
	}
	mm, err := lang.Machine(m, tightRun, opt)
	if err != nil {
		return nil, errRefused
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := mm.Run(ctx)
	if errors.Is(err, vm.ErrStopped) {
		t.Fatalf("plain=%v: %d operations took 10 seconds", plain, mm.Stats().Ops)
	}
	if mm.Stats().Ops > m.Certificate.Ops {
		t.Fatalf("plain=%v: %d operations, certified %d", plain, mm.Stats().Ops, m.Certificate.Ops)
	}
	if err != nil {
		return nil, err
	}
	var outs []naive.Output
	for _, o := range r.Outputs {
		outs = append(outs, naive.Output{Name: o.Name, Tensor: naive.Tensor{Dims: o.Value.Shape.Dims(), Data: o.Value.ToDense()}})
	}
	return outs, nil
}

// FuzzProgram runs arbitrary text: nothing panics or hangs, the certificate
// holds, and the optimised program, in the memory of the one before, means what the
// plain one does.
func FuzzProgram(f *testing.F) {
	for _, c := range corpus.Cases() {
		if len(c.Source) < 2000 && len(c.Inputs) == 0 {
			f.Add(c.Source)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		fast, err1 := fuzzRun(t, text, false)
		plain, err2 := fuzzRun(t, text, true)
		var e1, e2 *vm.RuntimeError
		inexact1 := errors.As(err1, &e1) && e1.Kind == vm.Inexact
		inexact2 := errors.As(err2, &e2) && e2.Kind == vm.Inexact
		if err1 == nil && inexact2 || err2 == nil && inexact1 {
			t.Errorf("optimised: %v; plain: %v", err1, err2)
		}
		if err1 != nil || err2 != nil {
			return // limits see different programs
		}
		if err := same(fast, plain); err != nil {
			t.Errorf("optimised and plain differ: %v", err)
		}
	})
}
