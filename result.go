package ein

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ein/internal/lists"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/stdlib"
	"ein/vm"
	"ein/vm/tensor"
)

// Output is a value that a program gave: its name, and the tensor. Of a query or a relation,
// Value.Table has the rows: All ranges over them, and Text gives a cell as people read it. One
// without columns says yes if it has a row.
type Output struct {
	vm.Output
	Proofs []*Proof // of a :why, and as many as Options.Proofs of a query
	labels []string
	why    bool // the proof is all that it shows
}

// Result is the outcome of a run: the outputs in the order of the program. The program may share
// its values: they must not be changed.
type Result struct {
	Outputs  []Output
	Labels   []string  // of the nodes, nil when they are numbers
	Warnings diag.List // what the run noticed about the data
	Stats    vm.Stats
	Wall     time.Duration // of the run alone; reading and compiling do not count
}

func (p *Program) result(r *vm.Result, wall time.Duration) *Result {
	out := &Result{Labels: p.Labels(), Stats: r.Stats, Wall: wall}
	out.Outputs = lists.Map(r.Outputs, func(o vm.Output) Output { return Output{Output: o, labels: out.Labels} })
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, p.place(describe.Warning(w)))
	}
	return out
}

// Output returns the output called name; its value is nil when there is none.
func (r *Result) Output(name string) Output {
	i := slices.IndexFunc(r.Outputs, func(o Output) bool { return o.Name == name })
	if i < 0 {
		return Output{}
	}
	return r.Outputs[i]
}

// String returns the outputs as `ein run --labels` prints them.
func (r *Result) String() string {
	var b strings.Builder
	_ = r.Text(context.Background(), &b, show.Options{Nodes: true}) // a Builder takes everything
	return b.String()
}

// Text writes the outputs for people. The error is that of w, or the cause of the
// context, which is looked at on the way.
func (r *Result) Text(ctx context.Context, w io.Writer, opt show.Options) error {
	opt.Labels = r.Labels
	for i := range r.Outputs {
		if err := r.Outputs[i].Text(ctx, w, opt); err != nil {
			return err
		}
	}
	return nil
}

// Text writes an output for people; the labels are those of opt. One that is not there is an error.
func (o *Output) Text(ctx context.Context, w io.Writer, opt show.Options) error {
	if ctx == nil {
		return errNoContext
	}
	if o.Value == nil {
		return o.not("")
	}
	if !o.why {
		if err := show.Text(ctx, w, &o.Output, opt); err != nil {
			return err
		}
	}
	for _, p := range o.Proofs {
		name := "why " + p.Atom
		if o.why {
			name = o.Name
		}
		if _, err := io.WriteString(w, name+": "+p.Text()); err != nil {
			return err
		}
	}
	return nil
}

// Float returns the value of an output without axes; any other is an error.
func (o Output) Float() (float64, error) {
	if o.Value == nil || o.Value.Shape.Rank() != 0 || o.Value.Layout == tensor.Rows {
		return 0, o.not("a number")
	}
	return o.Value.At(), nil
}

// Floats returns the elements of a tensor, the last axis fastest; Value.Shape says how many each axis
// has. A relation is an error.
func (o Output) Floats() ([]float64, error) {
	if o.Value == nil || o.Value.Layout == tensor.Rows {
		return nil, o.not("a tensor")
	}
	return o.Value.ToDense(), nil
}

// Nodes returns the nodes in an output that is a set, a 0/1 vector over them, by label
// or by number, lowest first; any other output is an error.
func (o Output) Nodes() ([]string, error) {
	if o.Value == nil || o.Value.Shape.Rank() != 1 || o.Value.Kind != tensor.Bool || len(o.labels) > 0 && len(o.labels) != o.Value.Shape.Dim(0) {
		return nil, o.not("a set, which is a vector of 0 and 1 over the nodes")
	}
	nodes := []string{}
	for i, x := range o.Value.ToDense() {
		switch {
		case x == 0:
		case len(o.labels) > 0:
			nodes = append(nodes, o.labels[i])
		default:
			nodes = append(nodes, fmt.Sprint(i))
		}
	}
	return nodes, nil
}

func (o Output) not(what string) error {
	switch {
	case o.Value == nil:
		return fmt.Errorf("there is no such output")
	case o.Value.Layout == tensor.Rows:
		return fmt.Errorf("the output %s is a relation, not %s: its rows are in Value.Table", o.Name, what)
	}
	return fmt.Errorf("the output %s is %s, not %s", o.Name, stdlib.Describe(o.Value.Shape), what)
}
