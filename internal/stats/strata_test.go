package stats

import (
	"math"
	"testing"
)

func TestCommonDifference(t *testing.T) {
	// One stratum is the plain difference with Wald's error.
	a, b := Count(40, 50), Count(30, 60)
	e := CommonDifference([][2]Proportion{{a, b}, {Count(3, 3), {}}})
	wald := math.Sqrt(a.Rate()*(1-a.Rate())/a.N + b.Rate()*(1-b.Rate())/b.N)
	if math.Abs(e.Value-0.3) > 1e-12 || math.Abs(e.SE-wald) > 1e-12 {
		t.Errorf("%+v, want 0.3 and %v", e, wald)
	}
	// All of the difference lies between the strata, none within.
	e = CommonDifference([][2]Proportion{{Count(81, 90), Count(9, 10)}, {Count(5, 10), Count(45, 90)}})
	if math.Abs(e.Value) > 1e-12 {
		t.Errorf("%+v, want 0", e)
	}
	// The same difference in both.
	e = CommonDifference([][2]Proportion{{Count(20, 100), Count(10, 100)}, {Count(40, 200), Count(10, 100)}})
	if math.Abs(e.Value-0.1) > 1e-12 || !(e.SE > 0.02 && e.SE < 0.04) {
		t.Errorf("%+v", e)
	}
	// Sparse strata, as the package metafor of R has it.
	e = CommonDifference([][2]Proportion{{Count(2, 2), Count(1, 2)}, {Count(1, 1), Count(0, 1)}, {Count(0, 1), Count(0, 2)}, {Count(3, 4), Count(1, 3)}})
	if math.Abs(e.Value-0.441717791411043) > 1e-12 || math.Abs(e.SE-0.211692031039048) > 1e-12 {
		t.Errorf("%+v", e)
	}
	if e := CommonDifference([][2]Proportion{{Count(3, 3), Count(0, 3)}}); e.Value != 1 || !math.IsNaN(e.SE) {
		t.Errorf("%+v", e)
	}
	if e := CommonDifference(nil); !math.IsNaN(e.Value) {
		t.Errorf("%+v of nothing", e)
	}
}
