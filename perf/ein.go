package main

import (
	"context"
	"slices"

	"ein/internal/lists"
	"ein/lang"
	"ein/lang/check"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// values are the inputs of a program by name.
type values map[string]*tensor.Value

// load compiles a program and allocates its machine, in the memory of the last one if
// there is some.
func (e *env) load(text string, inputs values, memory *lang.Memory) (*vm.Machine, error) {
	opt := lang.Options{Workers: e.workers, Inputs: inputs, Memory: memory}
	m, p, err := lang.Load("perf.ein", text, opt)
	if err != nil {
		return nil, err
	}
	bound := lists.Map(p.Inputs, func(in check.Input) tensor.Value { return *inputs[in.Name] })
	mm, err := lang.Machine(m, cost.Limits{}, opt)
	if err != nil {
		return nil, err
	}
	return mm, mm.Bind(context.Background(), bound)
}

// compiled measures the run of a compiled program, whose inputs are made and bound before.
func (e *env) compiled(text string, inputs func() values, check func(*tensor.Value) float64) contender {
	return contender{name: "Ein", start: func() (sampler, error) {
		mm, err := e.load(text, inputs(), nil)
		if err != nil {
			return nil, err
		}
		var last *vm.Result
		return ours(func() (err error) {
			last, err = mm.Run(context.Background())
			return err
		}, func() float64 { return outputs(last, check) })
	}}
}

// fromText measures all the way from the text and the values of its inputs,
// which are made anew each time, to the outputs, as what runs programs of others does.
func (e *env) fromText(text string, inputs func() values, check func(*tensor.Value) float64) contender {
	return contender{name: "Ein", start: func() (sampler, error) {
		var last *vm.Result
		memory := new(lang.Memory)
		return ours(func() error {
			mm, err := e.load(text, inputs(), memory)
			if err != nil {
				return err
			}
			last, err = mm.Run(context.Background())
			return err
		}, func() float64 { return outputs(last, check) })
	}}
}

// outputs makes one number of all outputs: the first counts 1, the second 1000.
func outputs(r *vm.Result, check func(*tensor.Value) float64) float64 {
	total, weight := 0.0, 1.0
	for _, o := range r.Outputs {
		total += weight * check(o.Value)
		weight *= 1000
	}
	return total
}

// total is the sum of all elements.
func total(v *tensor.Value) float64 {
	var c kernel.Ctl
	switch v.Layout {
	case tensor.Packed:
		return float64(kernel.PopAll(&c, v.Bits))
	case tensor.Sparse:
		return kernel.CSRSum(&c, v.CSR)
	}
	sum := 0.0
	for _, x := range v.F {
		sum += x
	}
	return sum
}

// reflexive is the number of ones when each node counts as reaching itself.
func reflexive(v *tensor.Value) float64 {
	missing := 0
	for i := range v.Bits.Rows {
		if !v.Bits.Get(i, i) {
			missing++
		}
	}
	return total(v) + float64(missing)
}

// positive is the sum of the elements above 0: of distances, of which -1 means
// none.
func positive(v *tensor.Value) float64 {
	sum := 0.0
	for _, x := range v.F {
		sum += max(x, 0)
	}
	return sum
}

// largest is the greatest element.
func largest(v *tensor.Value) float64 { return slices.Max(v.F) }

// ordered is the sum of the elements, each times its place.
func ordered(v *tensor.Value) float64 {
	sum := 0.0
	for k, x := range v.F {
		sum += float64(k) * x
	}
	return sum
}

// parts is the number of components.
func parts(v *tensor.Value) float64 {
	most := int32(-1)
	for _, k := range v.Part {
		most = max(most, k)
	}
	return float64(most + 1)
}
