//go:build !amd64 && !arm64

package simd

func supported() []Tier { return []Tier{Plain} }

// Without assembly Vectors is false, and nothing of this is called.

func (Tier) multiply(panel, int)                                           { panic(none) }
func (Tier) dot(x, y []float64) float64                                    { panic(none) }
func (Tier) axpy(y []float64, f float64, x []float64)                      { panic(none) }
func (Tier) popAnd(a, b []uint64) int                                      { panic(none) }
func (Tier) counts(p *Panel, c []float64, ldc int, a []uint64, stride int) { panic(none) }
