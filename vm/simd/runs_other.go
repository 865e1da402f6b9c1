//go:build !amd64

package simd

// hasRuns is whether there are the kernels below: without, what they do is done in Go.
const hasRuns = false

const none = "BUG: simd: there is no such kernel"

func (Tier) unary(int, []float64, []float64) float64                 { panic(none) }
func (Tier) binary(int, []float64, []float64, []float64) float64     { panic(none) }
func (Tier) binaryPast(int, []float64, []float64, []float64) float64 { panic(none) }
func (Tier) marks(f int, dst []uint64, a, b []float64)               { panic(none) }
func (Tier) spread(dst []float64, words []uint64)                    { panic(none) }
func (Tier) past(dst, a []float64)                                   { panic(none) }
func (Tier) addEight(dst, a []float64, stride int)                   { panic(none) }
func (Tier) scale(dst []float64, f float64, x []float64)             { panic(none) }
func (Tier) falls(x []int32, step, most int) (n, falls, out int)     { panic(none) }
func (Tier) fold(int, []float64, *[8]float64)                        { panic(none) }
func (Tier) meeting(row []uint64, rows [][]uint64) uint64            { panic(none) }
func (Tier) common(named, rows, row []uint64) int                    { panic(none) }
func (Tier) transpose(*[64]uint64)                                   { panic(none) }
func (Tier) listRows([]int32, []uint64) int                          { panic(none) }
func (Tier) addRows(*Planes, []PlaneRow, []int32)                    { panic(none) }
func (Tier) readPlanes(*[PlaneColumns]float64, *Planes, int, int)    { panic(none) }
