package plan

import (
	"ein/vm/code"
	"ein/vm/op"
)

// BitForm is a contraction of one or two 0/1 matrices or vectors as an operation on bits.
// TransposeA and TransposeB are applied first, then Swap exchanges the operands.
type BitForm struct {
	Op                           code.Op
	TransposeA, TransposeB, Swap bool
	Then                         code.Op // a count applied to the result of a conjunction
}

// NoOp is the Then of a form without one.
const NoOp = code.MaxOp

// BitForms holds the contractions that have a kernel on bits, by their key.
var BitForms = map[string]BitForm{
	"ab,bc->ac": {Op: code.CountProduct, TransposeB: true, Then: NoOp},
	"ab,bc->ca": {Op: code.CountProduct, TransposeB: true, Swap: true, Then: NoOp},
	"ab,cb->ac": {Op: code.CountProduct, Then: NoOp},
	"ab,cb->ca": {Op: code.CountProduct, Swap: true, Then: NoOp},
	"ab,ac->bc": {Op: code.CountProduct, TransposeA: true, TransposeB: true, Then: NoOp},
	"ab,ac->cb": {Op: code.CountProduct, TransposeA: true, TransposeB: true, Swap: true, Then: NoOp},
	"ab,ca->bc": {Op: code.CountProduct, TransposeA: true, Then: NoOp},
	"ab,ca->cb": {Op: code.CountProduct, TransposeA: true, Swap: true, Then: NoOp},

	"ab,b->a": {Op: code.CountMatVec, Then: NoOp},
	"ab,a->b": {Op: code.CountMatVec, TransposeA: true, Then: NoOp},
	"a,ab->b": {Op: code.CountMatVec, TransposeB: true, Swap: true, Then: NoOp},
	"a,ba->b": {Op: code.CountMatVec, Swap: true, Then: NoOp},

	"a,a->":   {Op: code.CountAnd, Then: NoOp},
	"ab,ab->": {Op: code.CountAnd, Then: NoOp},
	"ab,ba->": {Op: code.CountAnd, TransposeB: true, Then: NoOp},

	"a,a->a":    {Op: code.Logic, Then: NoOp},
	"ab,ab->ab": {Op: code.Logic, Then: NoOp},
	"ab,ba->ab": {Op: code.Logic, TransposeB: true, Then: NoOp},
	"ab,ba->ba": {Op: code.Logic, TransposeA: true, Then: NoOp},
	"ab,ab->a":  {Op: code.Logic, Then: code.CountRows},
	"ab,ab->b":  {Op: code.Logic, Then: code.CountCols},
	"ab,ba->a":  {Op: code.Logic, TransposeB: true, Then: code.CountRows},
	"ab,ba->b":  {Op: code.Logic, TransposeB: true, Then: code.CountCols},
}

// HasBoolForm reports whether the contraction of two 0/1 operands has a kernel that only tells
// whether the result is 0.
func HasBoolForm(s *op.Spec) bool {
	if len(s.In) != 2 || len(s.Out) == 0 || len(s.In[0]) > 2 || len(s.In[1]) > 2 || len(s.Out) > 2 {
		return false
	}
	f, ok := BitForms[s.Key()]
	return ok && (f.Op == code.CountProduct || f.Op == code.CountMatVec)
}
