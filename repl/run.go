package repl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/compile"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/plan"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// want is a value to compute: to show, to keep under a name, or both.
type want struct {
	plan.Output
	shown bool
	keep  string
	why   bool // it is explained
}

// wants is what an entry computes: what it prints, its bare expressions, and the last value of each
// name it defines. Of a name that is defined several times, earlier values are not kept, but may be
// shown.
func wants(p *check.Program, from int) []want {
	bySpan := map[source.Span]*check.Output{}
	for i := range p.Statements {
		bySpan[p.Statements[i].Span] = &p.Statements[i]
	}
	var list []want
	last := map[string]int{}
	keep := func(st *check.Output, shown bool) {
		if i, ok := last[st.Name]; ok {
			list[i].keep = "" // another value of the name follows
		}
		last[st.Name] = len(list)
		list = append(list, want{Output: planned(st, !shown), shown: shown, keep: st.Name})
	}
	printed := p.Outputs
	for _, s := range p.File.Stmts {
		inside := s.Pos().Start >= from
		prints, why := 0, false
		switch s := s.(type) {
		case *syntax.Print:
			prints = len(s.Values)
		case *syntax.Query:
			prints, why = 1, s.Why
		case *syntax.ExprStmt:
			if inside {
				keep(bySpan[s.Span], true)
			}
		case *syntax.Assign, *syntax.Repeat:
			syntax.Walk(s, func(n syntax.Node) bool {
				a, ok := n.(*syntax.Assign)
				if ok && inside && bySpan[a.Span] != nil { // one that goes round at all
					keep(bySpan[a.Span], false)
				}
				return !ok
			})
		}
		for i := range prints {
			if inside {
				list = append(list, want{Output: planned(&printed[i], false), shown: true, why: why})
			}
		}
		printed = printed[prints:]
	}
	return slices.DeleteFunc(list, func(w want) bool { return !w.shown && w.keep == "" })
}

// planned is a value of the program for the planner.
func planned(o *check.Output, kept bool) plan.Output {
	return plan.Output{Name: o.Name, Form: o.Form, Node: o.Node, Pos: plan.Pos(o.Span), Kept: kept}
}

// compiled is an entry ready to run.
type compiled struct {
	of     *state // the program that it ends
	wants  []want
	plan   *plan.Program
	code   *code.Program
	module *cost.Module
	inputs []tensor.Value

	machine *vm.Machine // that has run it
}

// compile makes code of an entry. The values of earlier entries are its inputs. So an entry costs
// only its own work. A stale one has no such inputs: it computes all that is kept again.
func (s *Session) compile(next *state, e *entry) (*compiled, error) {
	p := e.part
	c := &compiled{of: next}
	if st := e.only; st != nil {
		c.wants = []want{{Output: planned(st, true)}}
	} else {
		c.wants = wants(p, e.start)
	}
	known := map[*ir.Node]plan.Known{}
	switch {
	case e.only != nil:
	case e.stale:
		// All that is kept is computed again, in front of what the entry asks for.
		var again []want
		for _, w := range wants(p, 0) {
			if w.keep != "" && int(w.Pos.Start) < e.start && !slices.ContainsFunc(c.wants, func(x want) bool { return x.keep == w.keep }) {
				w.shown, w.Kept = false, true
				again = append(again, w)
			}
		}
		c.wants = append(again, c.wants...)
	default:
		for _, name := range slices.Sorted(maps.Keys(e.reads)) {
			if v := next.kept[name]; v != nil {
				known[e.reads[name]] = plan.Known{Name: name, Value: v}
			}
		}
	}
	for _, in := range p.Inputs {
		known[in.Node] = plan.Known{Name: in.Name, Value: next.inputs[in.Name]}
	}
	c.plan = plan.New(p, next.inputs)
	c.plan.Outputs = nil
	for _, w := range c.wants {
		c.plan.Outputs = append(c.plan.Outputs, w.Output)
	}
	if !e.stale {
		c.plan.Stmts = slices.DeleteFunc(c.plan.Stmts, func(st plan.Stmt) bool { return int(st.Pos.Start) < e.start })
	}
	c.inputs = c.plan.Use(known)
	c.plan.Optimise()
	c.code = compile.Compile(c.plan, compile.Options{})
	var err error
	c.module, err = lang.Module(c.code, lang.Options{Workers: s.cfg.Workers})
	return c, err
}

// run runs an entry. It puts the new values into the entry, to be kept if it is accepted.
func (s *Session) run(ctx context.Context, next *state, e *entry) (r Reply) {
	c, result := s.execute(ctx, next, e)
	for _, w := range result.Warnings {
		e.diags = append(e.diags, describe.Warning(w))
	}
	e.diags.Sort()
	r.Diags, r.File = e.diags, next.file
	var notes strings.Builder
	e.made, r.proofs = map[string]*tensor.Value{}, map[int]string{}
	r.showing, r.mode = s.showing(next), s.mode
	for i, w := range c.wants {
		o := &result.Outputs[i]
		if w.why {
			r.proofs[len(r.values)] += s.prove(ctx, next, e, c, i)
		} else if w.shown {
			r.values = append(r.values, *o)
		}
		if w.keep != "" {
			e.made[w.keep] = clone(o.Value)
			if !w.shown && int(w.Pos.Start) >= e.start {
				fmt.Fprintf(&notes, "%s: %s\n", w.keep, describeValue(o.Value))
				if i == len(c.wants)-1 {
					s.assigned = []vm.Output{{Name: o.Name, Form: o.Form, Value: e.made[w.keep]}}
				}
			}
		}
	}
	if e.stale && len(s.kept) > 0 {
		notes.WriteString("nodes or data changed; all values were recomputed\n")
	}
	r.Note = notes.String()
	r.stats, r.bound = result.Stats, c.module.Certificate.Ops
	return r
}

// execute compiles and runs an entry within the limits. What the session keeps counts against the
// limit of memory, together with what the run needs.
func (s *Session) execute(ctx context.Context, next *state, e *entry) (*compiled, *vm.Result) {
	c, err := s.compile(next, e)
	if err != nil {
		panic("BUG: repl: " + err.Error())
	}
	limits := s.cfg.Limits
	others := next.others(c)
	limits.MaxBytes -= min(limits.MaxBytes-1, others)
	if s.cfg.Begin != nil && c.module.Certificate.Check(limits) == nil {
		s.cfg.Begin(c.module.Certificate.Ops)
	}
	machine, err := vm.New(c.module, limits)
	if limit, ok := errors.AsType[*cost.LimitError](err); ok {
		panic(refused(next.refuse(diag.List{s.overLimit(limit, others, e)})))
	}
	if err != nil {
		panic("BUG: repl: " + err.Error())
	}
	if s.cfg.Watch != nil {
		tell, end := s.cfg.Watch()
		defer end()
		machine.Watch(func(at vm.Progress) {
			tell(func() string { return describe.Doing(next.file, c.code, at) }, at.Done, at.All)
		})
	}
	c.machine = machine
	var result *vm.Result
	if err = machine.Bind(ctx, c.inputs); err == nil {
		result, err = machine.Run(ctx)
	}
	used, spent := machine.Stats(), &s.spent
	spent.Ops, spent.Bound, spent.PeakBytes = spent.Ops+used.Ops, spent.Bound+c.module.Certificate.Ops, max(spent.PeakBytes, used.PeakBytes)
	s.failed(next, e, c, err)
	return c, result
}

// failed refuses an entry whose run failed.
func (s *Session) failed(next *state, e *entry, c *compiled, err error) {
	if d, ok := describe.Failed(err, c.machine.Stats().Ops, c.module.Certificate.Ops); ok {
		if d.Span == (source.Span{}) { // it has no place in the program
			d.Span = source.Span{Start: e.start, End: e.start}
		}
		if d.Code == codes.E0533 {
			d.Notes = append(d.Notes, "The session is as it was before.")
		}
		r := next.refuse(diag.List{d})
		r.Limit = r.Limit && !errors.Is(err, context.Canceled) // else it was interrupted
		panic(refused(r))
	}
	if err != nil {
		panic("BUG: repl: " + err.Error())
	}
}

// overLimit is the error of an entry that needs more than it may use.
func (s *Session) overLimit(l *cost.LimitError, kept uint64, e *entry) diag.Diagnostic {
	d, flag := describe.Refused(l)
	if l.Name == "" {
		d.Span = source.Span{Start: e.start, End: e.start}
	}
	note := "Nothing was run, and the session is as it was before. The flag `" + flag + "` of the session sets the limit; `:cost` shows what a statement needs."
	if d.Code == codes.E0530 && kept > 0 {
		note += fmt.Sprintf(" Other values of the session take %s; `:reset` frees them.", words.Bytes(kept))
	}
	d.Notes = append(d.Notes, note)
	return d
}

// others is the memory of the values of the session that are not inputs of a run, which counts
// these itself.
func (s *state) others(c *compiled) uint64 {
	n := s.bytes
	for _, v := range s.inputs {
		n += size(v)
	}
	for i := range c.inputs {
		n -= size(&c.inputs[i])
	}
	return n
}

// size is the memory of a value in bytes.
func size(v *tensor.Value) uint64 {
	return 8*uint64(len(v.F)+len(v.Bits.W)+len(v.CSR.Val)) + 4*uint64(len(v.CSR.Ptr)+len(v.CSR.Idx)+len(v.Part))
}

// clone copies a value out of the memory of a machine.
func clone(v *tensor.Value) *tensor.Value {
	c := *v
	c.F, c.Bits.W, c.Part = slices.Clone(v.F), slices.Clone(v.Bits.W), slices.Clone(v.Part)
	c.CSR.Ptr, c.CSR.Idx, c.CSR.Val = slices.Clone(v.CSR.Ptr), slices.Clone(v.CSR.Idx), slices.Clone(v.CSR.Val)
	return &c
}
