package code

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"ein/vm/op"
	"ein/vm/tensor"
)

// sigs are the parsed signatures of the table.
var sigs = sync.OnceValue(func() *[MaxOp]sig {
	var list [MaxOp]sig
	for op := range table {
		list[op] = parseSig(table[op].sig)
	}
	return &list
})

// sig is a parsed signature: what the registers of an operation must be.
type sig struct {
	args   []place
	more   bool   // the last of args stands for any number
	result *place // nil when there is none
}

// place is what a signature says about one register.
type place struct {
	text    string
	layouts uint8 // a bit for each
	ones    bool
	shape   shapeKind
	dims    []int // which of N, M and K each size is
}

// shapeKind is what the brackets of a place hold.
type shapeKind uint8

const (
	sizes shapeKind = iota
	anyShape
	oneShape // the same throughout
)

// far is a csr that is infinite where it has no entry; few operations accept it.
const far = 1 << (tensor.Rows + 1)

// layoutNames are the layouts that a word stands for.
var layoutNames = map[string]uint8{
	"far": far, "dense": 1 << tensor.Dense, "bits": 1 << tensor.Packed, "csr": 1 << tensor.Sparse, "parts": 1 << tensor.Parts,
	"graph": far | 1<<tensor.Packed | 1<<tensor.Sparse, "weights": far | 1<<tensor.Dense | 1<<tensor.Packed | 1<<tensor.Sparse, "ones": 1 << tensor.Sparse, "any": far | 15, "table": 1 << tensor.Rows, "value": 31, "position": 1 << tensor.Dense, "scalar": 1 << tensor.Dense,
}

// OnGraph reports whether the first argument of op is a graph.
func (op Op) OnGraph() bool { return strings.HasPrefix(sigs()[op].args[0].text, "graph") }

// OnWeights reports whether the first argument of op is a graph with weights.
func (op Op) OnWeights() bool { return strings.HasPrefix(sigs()[op].args[0].text, "weights") }

// Gives returns the layout of the result of an operation that can have only one.
func (op Op) Gives() tensor.Layout {
	return tensor.Layout(bits.TrailingZeros8(sigs()[op].result.layouts))
}

// parseSig parses a signature as the table of operations has it.
func parseSig(text string) (s sig) {
	args, result, found := strings.Cut(text, " -> ")
	for _, word := range strings.Fields(args) {
		word, s.more = strings.CutSuffix(word, "...")
		s.args = append(s.args, parsePlace(word))
	}
	if found {
		p := parsePlace(result)
		s.result = &p
	}
	return s
}

// parsePlace reads one operand or the result of a signature, such as bits|csr[n,m].
func parsePlace(text string) place {
	names, dims, found := strings.Cut(text, "[")
	p := place{text: text, ones: names == "ones"}
	for name := range strings.SplitSeq(names, "|") {
		p.layouts |= layoutNames[name]
	}
	if dims == "..]" {
		p.shape = oneShape
	} else if !found && names != "position" && names != "scalar" {
		p.shape = anyShape
	}
	for _, c := range dims {
		if k := strings.IndexRune("nmk", c); k >= 0 {
			p.dims = append(p.dims, k)
		}
	}
	return p
}

// enter makes the site that of an instruction, whose registers exist, and reports why they do not
// match its signature.
func (x *Site) enter(p *Program, in *Instr) error {
	s := &sigs()[in.Op]
	if x.Arg == nil {
		x.Arg = x.few[:0]
	}
	x.Instr, x.Arg, x.Result, x.Results, x.Sparse, x.NNZ, x.shape = in, x.Arg[:0], nil, nil, -1, 0, nil
	x.N, x.M, x.K = -1, -1, -1
	for k, r := range in.Args {
		a := &p.Regs[r]
		x.Arg = append(x.Arg, a)
		if a.Layout == tensor.Sparse && x.Sparse < 0 {
			x.Sparse, x.NNZ = k, a.NNZ
		}
		if is, want := x.fit(&s.args[min(k, len(s.args)-1)], a); !is {
			return fmt.Errorf("argument %d is a %v %v, not %s", k, a.Layout, a.Type, want)
		}
	}
	if s.result != nil {
		x.Result = &p.Regs[in.Dst]
		if is, want := x.fit(s.result, x.Result); !is {
			return fmt.Errorf("gives %s, the register is a %v %v", want, x.Result.Layout, x.Result.Type)
		}
	}
	for _, r := range in.Results {
		x.Results = append(x.Results, &p.Regs[r])
	}
	if len(x.Arg) == 0 {
		return nil
	}
	rows, cols := x.Arg[0].Shape.Matrix()
	if x.N < 0 {
		x.N = rows
	}
	if x.M < 0 {
		x.M = cols
	}
	return nil
}

// fit reports whether a register matches its place in a signature, given the sizes known from earlier
// registers; if not, want is what was expected.
func (x *Site) fit(p *place, r *Reg) (is bool, want string) {
	sizes := [...]int{x.N, x.M, x.K}
	layout := uint8(1) << r.Layout
	if r.Far && r.Layout == tensor.Sparse {
		layout = far
	}
	is = p.layouts&layout != 0 && (!p.ones || r.Kind == tensor.Bool)
	switch p.shape {
	case anyShape:
	case oneShape:
		if x.shape == nil {
			x.shape = &r.Shape
		}
		is = is && r.Shape == *x.shape
	default:
		is = is && r.Shape.Rank() == len(p.dims)
		for d := 0; is && d < len(p.dims); d++ {
			size := &sizes[p.dims[d]]
			if *size < 0 {
				*size = r.Shape.Dim(d)
			}
			is = *size == r.Shape.Dim(d)
		}
	}
	if is {
		x.N, x.M, x.K = sizes[0], sizes[1], sizes[2]
		return true, ""
	}
	head, tail, _ := strings.Cut(p.text, "[")
	for k, known := range [...]int{x.N, x.M, x.K} {
		if known >= 0 {
			tail = strings.ReplaceAll(tail, "nmk"[k:k+1], strconv.Itoa(known))
		}
	}
	if tail != "" {
		head += "["
	}
	if x.shape != nil {
		tail = strings.Replace(tail, "..", strings.ReplaceAll(x.shape.String(), "x", ","), 1)
	}
	return false, head + tail
}

// mostEntries is the most that a csr has: the numbers of its entries have 32 bits.
const mostEntries = math.MaxInt32 - 1

// Entries bounds those of the csr that an instruction gives into a register of the right type.
func (x *Site) Entries(p *Program, in *Instr) int {
	if err := x.enter(p, in); err != nil {
		panic("BUG: code: " + err.Error())
	}
	return x.entries()
}

func (x *Site) entries() int {
	if of := table[x.Op].entries; of != nil {
		return int(min(of(x), x.Result.Shape.Elems(), mostEntries))
	}
	return 0
}

// attributes reports the first invalid attribute.
func (x *Site) attributes() error {
	has := table[x.Op].attrs
	switch {
	case has&hasFn != 0 && x.Fn > op.FnCheck:
		return fmt.Errorf("unknown function %d", x.Fn)
	case has&hasFold != 0 && x.Fold > op.FoldArgMin:
		return fmt.Errorf("unknown fold %d", x.Fold)
	case has&hasLogic != 0 && x.Logic >= maxLogic:
		return fmt.Errorf("unknown logic operation %d", x.Logic)
	case has&hasWalk != 0 && x.Walk > op.WalkRow:
		return fmt.Errorf("unknown walk %d", x.Walk)
	}
	last := -1
	for _, d := range x.Axes {
		if has&hasAxes != 0 && (d <= last || d >= x.Arg[0].Shape.Rank()) {
			return fmt.Errorf("axes %v of %v", x.Axes, x.Arg[0].Shape)
		}
		last = d
	}
	return nil
}
