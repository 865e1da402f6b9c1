package syntax

import (
	"cmp"
	"math"
)

// Limits bound what a program may make the parser do. A zero (or negative)
// value means the default; nothing but Memory is ever unlimited.
type Limits struct {
	SourceBytes int // default 16 MiB
	Tokens      int // default 8 million
	Depth       int // open brackets and unary minus signs around one place; default 200
	// Height is the height of an expression tree, which for 1+1+1+... is the
	// number of operators: trees lean to the left, and whoever walks one by
	// recursion needs a stack that deep. Default 10 000.
	Height      int
	Statements  int // default 10 000
	Arguments   int // of one call, and parameters of one function; default 255
	Diagnostics int // default 50; then one more says how many were left out
	// Memory is the bytes that parsing may take, see File.Footprint; 0 is no limit.
	Memory uint64
	// Pack is how many numbers a list holds that is kept packed; default 8.
	// It changes what parsing takes, and nothing else.
	Pack int
}

// The default limits.
const (
	DefaultSourceBytes = 16 << 20
	DefaultTokens      = 8_000_000
	DefaultDepth       = 200
	DefaultHeight      = 10_000
	DefaultStatements  = 10_000
	DefaultArguments   = 255
	DefaultDiagnostics = 50
	DefaultPack        = 8
)

// withDefaults fills in what is 0 or below.
func (l Limits) withDefaults() Limits {
	l.SourceBytes = cmp.Or(max(l.SourceBytes, 0), DefaultSourceBytes)
	l.Tokens = cmp.Or(max(l.Tokens, 0), DefaultTokens)
	l.Depth = cmp.Or(max(l.Depth, 0), DefaultDepth)
	l.Height = cmp.Or(max(l.Height, 0), DefaultHeight)
	l.Statements = cmp.Or(max(l.Statements, 0), DefaultStatements)
	l.Arguments = cmp.Or(max(l.Arguments, 0), DefaultArguments)
	l.Diagnostics = cmp.Or(max(l.Diagnostics, 0), DefaultDiagnostics)
	l.Pack = cmp.Or(max(l.Pack, 0), DefaultPack)
	l.SourceBytes = min(l.SourceBytes, math.MaxInt32-1) // tokens hold 32-bit offsets
	return l
}
