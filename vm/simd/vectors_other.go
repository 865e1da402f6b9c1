//go:build !amd64

package simd

// Without assembly Vectors is false, and nothing of this is called.
const none = "BUG: simd: there are no vectors"

func (Tier) multiply(panel, int)                                           { panic(none) }
func (Tier) dot(x, y []float64) float64                                    { panic(none) }
func (Tier) unary(int, []float64, []float64)                               { panic(none) }
func (Tier) binary(int, []float64, []float64, []float64)                   { panic(none) }
func (Tier) scaled(int, []float64, []float64, float64)                     { panic(none) }
func (Tier) fold(int, []float64, *[8]float64)                              { panic(none) }
func (Tier) popAnd(a, b []uint64) int                                      { panic(none) }
func (Tier) common(named, rows, row []uint64) int                          { panic(none) }
func (Tier) counts(p *Panel, c []float64, ldc int, a []uint64, stride int) { panic(none) }
func (Tier) transpose(*[64]uint64)                                         { panic(none) }
