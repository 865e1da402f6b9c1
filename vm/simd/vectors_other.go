//go:build !amd64

package simd

func (Tier) multiply(panel, int) { panic("BUG: simd: there are no vectors") }

func (Tier) dot(x, y []float64) float64 { panic("BUG: simd: there are no vectors") }
