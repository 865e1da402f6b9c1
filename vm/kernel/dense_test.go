package kernel

import (
	"math"
	"testing"
)

func TestDenseChecks(t *testing.T) {
	n := 2*PollOps + 10
	a := make([]float64, n)
	a[3], a[5] = 1<<53-1, -7
	for _, x := range []struct {
		at       int
		v        float64
		inexact  bool
		infinite bool
	}{
		{9, 1 << 53, true, false}, {PollOps + 1, -(1 << 53), true, false}, {n - 1, math.NaN(), true, true},
		{0, math.Inf(1), true, true}, {7, math.Inf(-1), true, true}, {8, 1e300, true, false}, {8, 0.5, false, false},
	} {
		old := a[x.at]
		a[x.at] = x.v
		want := func(bad bool) int {
			if bad {
				return x.at
			}
			return -1
		}
		if at, ok := ended(func() int { return CheckInt(&Ctl{}, a) }); !ok || at != want(x.inexact) {
			t.Errorf("CheckInt of %v at %d: %d, %v", x.v, x.at, at, ok)
		}
		if at, ok := ended(func() int { return CheckFinite(&Ctl{}, a) }); !ok || at != want(x.infinite) {
			t.Errorf("CheckFinite of %v at %d: %d, %v", x.v, x.at, at, ok)
		}
		a[x.at] = old
	}
	var c Ctl
	if !Finished(func() { Fill(&c, a, 3) }) || a[0] != 3 || a[n-1] != 3 || c.Ops != uint64(n) {
		t.Error("fill")
	}
	if Fill(&c, a, math.Copysign(0, -1)); !math.Signbit(a[n-1]) {
		t.Error("filling with -0 gave 0")
	}
	if _, ok := ended(func() int { return CheckInt(denseStopped(), a) }); ok {
		t.Error("CheckInt not stopped")
	}
	if _, ok := ended(func() int { return CheckFinite(denseStopped(), a) }); ok {
		t.Error("CheckFinite not stopped")
	}
	if Finished(func() { Fill(denseStopped(), a, 1) }) {
		t.Error("Fill not stopped")
	}
}
