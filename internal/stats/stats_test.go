package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %.6g", what, got, want)
	}
}

func nearInterval(t *testing.T, what string, got, want Interval, tolerance float64) {
	t.Helper()
	near(t, what+", low end", got.Low, want.Low, tolerance)
	near(t, what+", high end", got.High, want.High, tolerance)
}

// TestWilson is the examples of Newcombe 1998, Two-sided confidence intervals for
// the single proportion, table I, and values of scipy 1.10.1:
//
//	scipy.stats.binomtest(k, n).proportion_ci(confidence, 'wilson')
func TestWilson(t *testing.T) {
	for _, test := range []struct {
		right, n   int
		confidence float64
		want       Interval
		tolerance  float64
	}{
		{81, 263, 0.95, Interval{0.2553, 0.3662}, 5e-5},
		{15, 148, 0.95, Interval{0.0624, 0.1605}, 5e-5},
		{0, 20, 0.95, Interval{0, 0.1611}, 5e-5},
		{1, 29, 0.95, Interval{0.0061, 0.1718}, 5e-5},
		{20, 20, 0.95, Interval{0.8389, 1}, 5e-5},
		{0, 0, 0.95, Interval{0, 1}, 0},
		{41, 50, 0.95, Interval{0.6920394632569922, 0.9022980732976582}, 1e-12},
		{50, 50, 0.95, Interval{0.9286524008666412, 1}, 1e-12},
		{1226, 1300, 0.95, Interval{0.9291276165226319, 0.9544153880401833}, 1e-12},
		{7, 34, 0.99, Interval{0.08360684815871569, 0.4242053607322658}, 1e-12},
		{0, 10, 0.90, Interval{0, 0.21294197008340698}, 1e-12},
	} {
		nearInterval(t, fmt.Sprintf("%d of %d", test.right, test.n), Wilson(test.right, test.n, test.confidence), test.want, test.tolerance)
	}
	for n := 1; n < 200; n++ {
		for k := range n + 1 {
			i, p := Wilson(k, n, 0.95), float64(k)/float64(n)
			if i.Low < 0 || i.High > 1 || !i.contains(p) {
				t.Errorf("%d of %d: %v", k, n, i)
			}
		}
	}
}

// TestWilsonInvertsScore has the ends from the definition: the shares at which the
// score test just rejects.
func TestWilsonInvertsScore(t *testing.T) {
	z := quantile(0.975)
	for _, n := range []int{5, 50, 350} {
		for k := 1; k < n; k += 1 + n/10 {
			i := Wilson(k, n, 0.95)
			for _, p := range []float64{i.Low, i.High} {
				score := (float64(k)/float64(n) - p) / math.Sqrt(p*(1-p)/float64(n))
				near(t, fmt.Sprintf("score of %d of %d at %v", k, n, p), math.Abs(score), z, 1e-9)
			}
		}
	}
}

// TestNewcombe is the examples (a) to (h) of Newcombe 1998, Interval estimation for
// the difference between independent proportions, table II, method 10.
func TestNewcombe(t *testing.T) {
	for _, test := range []struct {
		a, m, b, n int
		want       Interval
	}{
		{56, 70, 48, 80, Interval{0.0524, 0.3339}},
		{9, 10, 3, 10, Interval{0.1705, 0.8090}},
		{6, 7, 2, 7, Interval{0.0582, 0.8062}},
		{5, 56, 0, 29, Interval{-0.0381, 0.1926}},
		{0, 10, 0, 20, Interval{-0.1611, 0.2775}},
		{0, 10, 0, 10, Interval{-0.2775, 0.2775}},
		{10, 10, 0, 20, Interval{0.6791, 1}},
		{10, 10, 0, 10, Interval{0.6075, 1}},
	} {
		a, b := Count(test.a, test.m), Count(test.b, test.n)
		nearInterval(t, fmt.Sprint(test), Newcombe(a, b, 0.95), test.want, 5e-5)
		back := Newcombe(b, a, 0.95)
		nearInterval(t, fmt.Sprint(test, " turned"), back, Interval{-test.want.High, -test.want.Low}, 5e-5)
	}
}

// TestPriceBonett is of two shares the interval of Agresti and Caffo 2000. The example
// is of chapter 4 of Fagerland, Lydersen and Laake 2017 (Perondi et al. 2004), as the
// R package contingencytables prints it.
func TestPriceBonett(t *testing.T) {
	e := PriceBonett([]float64{1, -1}, []Proportion{{7, 34}, {1, 34}})
	nearInterval(t, "Perondi", e.Interval(0.95), Interval{0.0116, 0.3217}, 5e-5)
	if e := PriceBonett([]float64{1, -1, -1, 1}, []Proportion{{9, 9}, {0, 9}, {0, 9}, {0, 9}}); e.SE < 0.05 {
		t.Errorf("shares of 0 and 1 have the error %v", e.SE)
	}
}

// TestZTest compares with scipy.stats.chi2_contingency(correction=False) of scipy
// 1.10.1, and has the arithmetic of 94.3 % against 92.8 % of 1,300.
func TestZTest(t *testing.T) {
	z, p := ZTest(Count(1226, 1300), Count(1206, 1300))
	near(t, "chi-squared", z*z, 2.545426065162907, 1e-12)
	near(t, "p", p, 0.11061406826533092, 1e-12)
	for _, n := range []int{0, 10} {
		if z, p := ZTest(Count(n, 10), Count(2*n, 20)); z != 0 || p != 1 {
			t.Errorf("equal shares: z %v, p %v", z, p)
		}
	}
}

// TestTrend is the example of R's prop.trend.test: smokers among patients.
func TestTrend(t *testing.T) {
	groups := []Proportion{{83, 86}, {90, 93}, {129, 136}, {70, 82}}
	slope, z, p := Trend(groups, []float64{1, 2, 3, 4})
	near(t, "chi-squared", z*z, 8.2249, 5e-5)
	near(t, "p", p, 0.004132, 5e-7)
	if slope.Value >= 0 || slope.SE <= 0 {
		t.Errorf("slope %v", slope)
	}
	// Of two groups the slope is the difference, and the test is the z test.
	slope, z, _ = Trend(groups[2:], []float64{0, 1})
	near(t, "slope", slope.Value, 70.0/82-129.0/136, 1e-12)
	want, _ := ZTest(groups[3], groups[2])
	near(t, "z", z, want, 1e-12)
	near(t, "error", slope.SE, math.Sqrt(variance(groups[2])+variance(groups[3])), 1e-12)
	if _, z, p := Trend([]Proportion{{5, 5}, {9, 9}}, []float64{0, 1}); z != 0 || p != 1 {
		t.Errorf("all right: z %v, p %v", z, p)
	}
}

func variance(p Proportion) float64 { return p.Rate() * (1 - p.Rate()) / p.N }

// TestMcNemar is the first example of Fagerland, Lydersen and Laake 2013 (Bentur
// et al. 2009: 1 and 7 discordant pairs; exact 0.070, mid-p 0.039), and values of scipy
// 1.10.1:
//
//	p = binomtest(b, b+c).pvalue; mid = p - binom.pmf(min(b, c), b+c, 0.5)
func TestMcNemar(t *testing.T) {
	for _, test := range []struct {
		b, c       int
		exact, mid float64
	}{
		{1, 7, 0.0703125, 0.0390625},
		{5, 9, 0.4239501953125, 0.3017578125},
		{12, 30, 0.007915897334896727, 0.0054015726545912895},
		{0, 6, 0.03125, 0.015625},
		{100, 140, 0.01166409231767769, 0.00983154117860874},
		{3, 3, 1, 0.84375},
		{0, 0, 1, 1},
	} {
		pair := Paired{Both: 11, OnlyA: test.b, OnlyB: test.c, Neither: 5}
		turned := Paired{Both: 11, OnlyA: test.c, OnlyB: test.b, Neither: 5}
		for _, x := range []Paired{pair, turned} {
			near(t, fmt.Sprint(x, " exact"), x.McNemarExact(), test.exact, 1e-12)
			near(t, fmt.Sprint(x, " mid-p"), x.McNemarMidP(), test.mid, 1e-12)
		}
	}
}

// TestMcNemarEnumerated goes through every way in which the discordant pairs could
// have fallen.
func TestMcNemarEnumerated(t *testing.T) {
	for n := 1; n < 13; n++ {
		for k := range n + 1 {
			further, equal := 0, 0
			for ways := range 1 << n {
				ones := 0
				for i := range n {
					ones += ways >> i & 1
				}
				switch far, seen := max(ones, n-ones), max(k, n-k); {
				case far > seen:
					further++
				case far == seen:
					equal++
				}
			}
			all := float64(int(1) << n)
			x := Paired{OnlyA: k, OnlyB: n - k}
			near(t, fmt.Sprint(x, " exact"), x.McNemarExact(), float64(further+equal)/all, 1e-12)
			near(t, fmt.Sprint(x, " mid-p"), x.McNemarMidP(), (float64(further)+float64(equal)/2)/all, 1e-12)
		}
	}
}

// TestSignFlip compares with McNemar's test for pairs on their own, and with all
// signs of clusters.
func TestSignFlip(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 200 {
		var pairs Paired
		var each []int
		for range r.IntN(60) {
			d := r.IntN(3) - 1
			pairs.Add(d >= 0 && d != -1, d <= 0)
			each = append(each, d)
		}
		exact, mid := SignFlip(each)
		near(t, fmt.Sprint(pairs, " exact"), exact, pairs.McNemarExact(), 1e-9)
		near(t, fmt.Sprint(pairs, " mid-p"), mid, pairs.McNemarMidP(), 1e-9)

		clusters := make([]int, r.IntN(11))
		seen := 0
		for i := range clusters {
			clusters[i] = r.IntN(9) - 4
			seen += clusters[i]
		}
		further, equal := 0, 0
		for signs := range 1 << len(clusters) {
			sum := 0
			for i, d := range clusters {
				sum += d * (1 - 2*(signs>>i&1))
			}
			switch {
			case max(sum, -sum) > max(seen, -seen):
				further++
			case max(sum, -sum) == max(seen, -seen):
				equal++
			}
		}
		all := float64(int(1) << len(clusters))
		wantExact, wantMid := float64(further+equal)/all, (float64(further)+float64(equal)/2)/all
		if equal == 1<<len(clusters) && seen == 0 {
			wantMid = 1 // nothing differs
		}
		exact, mid = SignFlip(clusters)
		near(t, fmt.Sprint(clusters, " exact"), exact, wantExact, 1e-12)
		near(t, fmt.Sprint(clusters, " mid-p"), mid, wantMid, 1e-12)
	}
}

// TestTango is the example of chapter 8 of Fagerland, Lydersen and Laake 2017,
// Statistical analysis of contingency tables (Cavo et al. 2012), as the R package
// contingencytables prints it.
func TestTango(t *testing.T) {
	cavo := Paired{Both: 59, OnlyA: 6, OnlyB: 16, Neither: 80}
	near(t, "difference", cavo.Difference(), -0.0621, 5e-5)
	nearInterval(t, "Cavo", cavo.Tango(0.95), Interval{-0.1240, -0.0054}, 5e-5)
	near(t, "mid-p", cavo.McNemarMidP(), 0.034690, 5e-7)
	bentur := Paired{Both: 1, OnlyA: 1, OnlyB: 7, Neither: 12}
	nearInterval(t, "Bentur", bentur.Tango(0.95), Interval{-0.517, -0.026}, 5e-4)
	// As many pairs as these are worth have the interval of these with a design effect.
	twice := Paired{Both: 118, OnlyA: 12, OnlyB: 32, Neither: 160}
	nearInterval(t, "design effect", twice.ClusteredTango(0.95, 2), cavo.Tango(0.95), 1e-12)
	if i := (Paired{}).Tango(0.95); i != (Interval{-1, 1}) {
		t.Errorf("no pairs: %v", i)
	}
}

// TestTangoLikelihood has the variance from the definition: the shares of discordant
// pairs that are likeliest among those with the difference, found by search.
func TestTangoLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		x := Paired{Both: r.IntN(40), OnlyA: r.IntN(12), OnlyB: r.IntN(12), Neither: 1 + r.IntN(40)}
		d := 1.6*r.Float64() - 0.8
		n, b, c := float64(x.N()), float64(x.OnlyA), float64(x.OnlyB)
		q := likeliest(max(0, -d), (1-d)/2, func(q float64) float64 {
			return xlog(b, q+d) + xlog(c, q) + xlog(n-b-c, 1-2*q-d)
		})
		want := (b - c - n*d) / math.Sqrt(n*(2*q+d-d*d))
		near(t, fmt.Sprint(x, " at ", d), x.score(d), want, 1e-4*max(1, math.Abs(want)))
	}
}

func xlog(n, p float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(p)
}

// likeliest is where a concave function is highest.
func likeliest(low, high float64, f func(float64) float64) float64 {
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if f(a) < f(b) {
			low = a
		} else {
			high = b
		}
	}
	return (low + high) / 2
}

// TestTangoEdges looks at every table of few pairs.
func TestTangoEdges(t *testing.T) {
	const n = 7
	for b := range n + 1 {
		for c := range n + 1 - b {
			x := Paired{Both: n - b - c, OnlyA: b, OnlyB: c}
			i, turned := x.Tango(0.95), Paired{Both: n - b - c, OnlyA: c, OnlyB: b}.Tango(0.95)
			if !i.contains(x.Difference()) || i.Low < -1 || i.High > 1 || math.IsNaN(i.Low+i.High) || i.High-i.Low < 0.1 {
				t.Errorf("%v: %v", x, i)
			}
			nearInterval(t, fmt.Sprint(x, " turned"), turned, Interval{-i.High, -i.Low}, 1e-9)
			if wide := x.Tango(0.99); wide.Low > i.Low || wide.High < i.High {
				t.Errorf("%v: 99 %% is %v, 95 %% %v", x, wide, i)
			}
		}
	}
}

// TestHolm is an example worked by hand with the steps of Holm 1979, and the
// definition: a hypothesis is rejected at a level when it and all smaller p values
// pass their steps.
func TestHolm(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005}
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, fmt.Sprint("Holm ", i), Holm(p)[i], want, 1e-12)
	}
	for i, want := range []float64{0.02, 0.04, 0.04, 0.02} {
		near(t, fmt.Sprint("Benjamini-Hochberg ", i), BenjaminiHochberg(p)[i], want, 1e-12)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		p := make([]float64, r.IntN(9))
		for i := range p {
			p[i] = r.Float64() * r.Float64()
		}
		holm, bh := Holm(p), BenjaminiHochberg(p)
		for _, level := range []float64{0.01, 0.05, 0.2, 0.5} {
			sorted := slices.Sorted(slices.Values(p))
			down, up := 0, 0 // how many are rejected
			for down < len(p) && sorted[down] <= level/float64(len(p)-down) {
				down++
			}
			for k := range p {
				if sorted[k] <= level*float64(k+1)/float64(len(p)) {
					up = k + 1
				}
			}
			for i := range p {
				rank := slices.Index(sorted, p[i])
				if holm[i] <= level != (rank < down) || bh[i] <= level != (rank < up) {
					t.Errorf("%v at %v: Holm %v, %d rejected; Benjamini-Hochberg %v, %d rejected", p, level, holm, down, bh, up)
				}
			}
		}
	}
}

// TestBenjaminiHochberg is the example of Benjamini and Hochberg 1995, section 3.2:
// of 15 tests the procedure rejects the four smallest at 0.05, and Bonferroni's
// three.
func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000}
	count := func(p []float64) (n int) {
		for _, x := range p {
			if x <= 0.05 {
				n++
			}
		}
		return n
	}
	if bh, holm := count(BenjaminiHochberg(p)), count(Holm(p)); bh != 4 || holm != 3 {
		t.Errorf("%d and %d rejected, want 4 and 3", bh, holm)
	}
}

// TestT compares with scipy 1.10.1: t.ppf(0.975, 7), 2*t.sf(2.5, 7).
func TestT(t *testing.T) {
	e := Estimate{Value: 2.5, SE: 1, DF: 7}
	nearInterval(t, "t", e.Interval(0.95), Interval{2.5 - 2.3646242510102993, 2.5 + 2.3646242510102993}, 1e-9)
	near(t, "p", e.P(), 0.040992218585752874, 1e-9)
	e.DF = 0
	nearInterval(t, "normal", e.Interval(0.95), Interval{2.5 - 1.959963984540054, 2.5 + 1.959963984540054}, 1e-12)
	near(t, "p", e.P(), 0.012419330651552, 1e-12)
	if p := (Estimate{}).P(); p != 1 {
		t.Errorf("p of 0 without error is %v", p)
	}
	if p := (Estimate{Value: 1}).P(); p != 0 {
		t.Errorf("p of 1 without error is %v", p)
	}
	if p := (Estimate{SE: math.NaN()}).P(); !math.IsNaN(p) {
		t.Errorf("p without a known error is %v", p)
	}
}

// TestClustered compares with numpy: the root of the sum of the squared sums of
// residuals, over n, is CR0; CR1 has G/(G-1) more.
func TestClustered(t *testing.T) {
	x := []float64{1, 0, 1, 1, 0, 1, 1, 1, 0, 1}
	g := []int{0, 0, 0, 1, 1, 2, 2, 3, 3, 3}
	e := Clustered(x, g)
	near(t, "mean", e.Value, 0.7, 1e-12)
	near(t, "error", e.SE, 0.07348469228349534*math.Sqrt(4.0/3), 1e-12)
	if e.DF != 3 {
		t.Errorf("%d degrees of freedom", e.DF)
	}
	// On their own: s/sqrt(n).
	near(t, "error of the mean", Mean(x).SE, math.Sqrt(10.0/9*0.21/10), 1e-12)
	// Every answer given three times is as good as once.
	var thrice []float64
	var of []int
	for i, v := range x {
		for range 3 {
			thrice, of = append(thrice, v), append(of, i)
		}
	}
	near(t, "thrice", Clustered(thrice, of).SE, Mean(x).SE, 1e-12)
	// The exact effect is 3 but for the n-1 of both variances.
	near(t, "design effect", DesignEffect(thrice, of), 3*(29.0/30)/(9.0/10), 1e-12)
	if d := DesignEffect([]float64{1, 1, 1}, []int{1, 2, 3}); d != 1 {
		t.Errorf("design effect of answers on their own is %v", d)
	}
	if d := DesignEffect([]float64{1, 1, 1, 1}, []int{1, 1, 2, 2}); d != 2 {
		t.Errorf("design effect of equal answers is %v", d)
	}
	// Clusters that are equally good vary less than chance, whatever rounding makes of their means.
	for _, of := range [][]float64{{1, 0, 0, 1}, {1, 0, 1, 1, 0, 1}, {1, -1, -1, 1}} {
		clusters := make([]int, len(of))
		for i := range of {
			clusters[i] = 2 * i / len(of)
		}
		if d := DesignEffect(of, clusters); d != 1 {
			t.Errorf("design effect of %v in two equal halves is %v", of, d)
		}
	}
	near(t, "share", ShareOf(thrice, of, 0.95).Effective().N, 30/(3*(29.0/30)/(9.0/10)), 1e-9)
	if ShareOf[int](nil, nil, 0.95) != nil {
		t.Error("there is a share of nothing")
	}
	if e := Clustered(x, make([]int, len(x))); !math.IsNaN(e.SE) {
		t.Errorf("one cluster has the error %v", e.SE)
	}
	if e := Mean(nil); !math.IsNaN(e.Value) {
		t.Errorf("the mean of nothing is %v", e.Value)
	}
}

// TestContrast has pairs, unpaired sets and differences of differences from their
// textbook formulas.
func TestContrast(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 40
	var a, b, d []float64
	var id, other []int
	for i := range n {
		x, y := r.Float64(), r.Float64()
		a, b, d = append(a, x), append(b, (x+y)/2), append(d, (x-y)/2)
		id, other = append(id, i), append(other, n+i)
	}
	paired := Contrast(Cell[int]{1, a, id}, Cell[int]{-1, b, id})
	near(t, "paired difference", paired.Value, mean(d), 1e-12)
	near(t, "error of paired difference", paired.SE, Mean(d).SE, 1e-12)
	unpaired := Contrast(Cell[int]{1, a, id}, Cell[int]{-1, b, other})
	near(t, "error of unpaired difference", unpaired.SE, math.Hypot(Mean(a).SE, Mean(b).SE), 1e-12)
	zero := Contrast(Cell[int]{1, a, id}, Cell[int]{-1, b, id}, Cell[int]{-1, a, id}, Cell[int]{1, b, id})
	near(t, "difference of equal differences", zero.Value, 0, 1e-12)
	near(t, "its error", zero.SE, 0, 1e-12)
}

// TestStratified has the variance from the formula for fixed strata, the sum of
// w^2 s^2/n, and shows that what differs between strata is no error.
func TestStratified(t *testing.T) {
	x := []float64{1, 1, 0, 1, 0, 0, 1, 0, 0}
	s := []string{"a", "a", "a", "a", "b", "b", "b", "b", "b"}
	id := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	a, b := Mean(x[:4]), Mean(x[4:])
	e := Stratified(x, s, id)
	near(t, "mean", e.Value, 4.0/9, 1e-12)
	near(t, "error", e.SE, math.Hypot(4.0/9*a.SE, 5.0/9*b.SE), 1e-12)
	if e.DF != 7 {
		t.Errorf("%d degrees of freedom", e.DF)
	}
	one := make([]string, len(x))
	near(t, "one stratum", Stratified(x, one, id).SE, Mean(x).SE, 1e-12)
	e = Stratified([]float64{1, 1, 1, 0, 0, 0}, []int{1, 1, 1, 2, 2, 2}, []int{1, 2, 3, 4, 5, 6})
	near(t, "all of it between strata", e.SE, 0, 1e-12)
	lonely := Stratified([]float64{1, 1, 1, 0}, []int{1, 1, 1, 2}, []int{1, 2, 3, 4})
	near(t, "a stratum of one", lonely.SE, math.Sqrt(2*0.75*0.75/16), 1e-12)
}

// TestRatio compares with the definition: the pseudo-values of the jackknife of Tukey, whose
// standard error of the mean is that of the logarithm.
func TestRatio(t *testing.T) {
	num := []float64{120, 80, 200, 40, 95, 150, 60, 310, 75, 90}
	den := []float64{1, 1, 0, 1, 1, 1, 1, 0, 1, 1}
	value, i := Ratio(num, den, 0.95)
	near(t, "ratio", value, 1220.0/8, 1e-12)
	n := float64(len(num))
	var pseudo []float64
	for k := range num {
		a, b := 0.0, 0.0
		for l := range num {
			if l != k {
				a, b = a+num[l], b+den[l]
			}
		}
		pseudo = append(pseudo, n*math.Log(value)-(n-1)*math.Log(a/b))
	}
	e := Mean(pseudo)
	e.Value = math.Log(value)
	want := e.Interval(0.95)
	nearInterval(t, "ends", i, Interval{math.Exp(want.Low), math.Exp(want.High)}, 1e-9)
	if e.DF != 9 {
		t.Errorf("%d degrees of freedom", e.DF)
	}
}

func TestRatioEdges(t *testing.T) {
	for _, test := range []struct {
		num, den  []float64
		value     float64
		low, high float64
	}{
		{nil, nil, math.NaN(), math.NaN(), math.NaN()},
		{[]float64{5}, []float64{1}, 5, math.NaN(), math.NaN()},
		{[]float64{5, 3}, []float64{0, 0}, math.Inf(1), math.Inf(1), math.Inf(1)},
		{[]float64{0, 0}, []float64{0, 0}, math.NaN(), math.NaN(), math.NaN()},
		{[]float64{2, 2, 2}, []float64{1, 1, 1}, 2, 2, 2},
		{[]float64{10, 10, 10, 10}, []float64{0.1, 0, 0, 0}, 400, 0, math.Inf(1)}, // one cluster has all that is right
	} {
		v, i := Ratio(test.num, test.den, Confidence)
		got, want := fmt.Sprint(v, i.Low, i.High), fmt.Sprint(test.value, test.low, test.high)
		if got != want {
			t.Errorf("%v over %v: %s, want %s", test.num, test.den, got, want)
		}
	}
	if b, err := json.Marshal(Interval{0, math.Inf(1)}); err != nil || string(b) != `{"low":0,"high":null}` {
		t.Errorf("%s, %v", b, err)
	}
}

// TestRatioCoverage counts how often the interval of tokens for each correct answer has the
// true ratio in it: 12 clusters of five answers that are right together, whose tokens are
// lognormal, and the same where wrong answers are twice as long. A BCa bootstrap of the
// clusters has it in 91.2 and 92.6 % of such samples.
func TestRatioCoverage(t *testing.T) {
	const clusters, answers, samples = 12, 5, 4000
	for _, longer := range []float64{1, 2} {
		r := rand.New(rand.NewPCG(26, 14))
		covered := 0
		for range samples {
			var tokens, right [clusters]float64
			for c := range tokens {
				share := 0.2 + 0.6*r.Float64() // of the cluster
				for range answers {
					x := math.Exp(6 + 0.6*r.NormFloat64())
					if r.Float64() < share {
						right[c]++
					} else {
						x *= longer
					}
					tokens[c] += x
				}
			}
			truth := math.Exp(6+0.18) * (0.5 + 0.5*longer) / 0.5
			if _, i := Ratio(tokens[:], right[:], 0.95); i.contains(truth) {
				covered++
			}
		}
		// Four standard errors of such a simulation are 1.4 points.
		if share := 100 * float64(covered) / samples; share < 94 || share > 97 {
			t.Errorf("wrong answers %g times as long: %.1f %% of the intervals have the true ratio in them", longer, share)
		} else {
			t.Logf("%.1f %%", share)
		}
	}
}

// TestPower has the values of the power formulas for the designs of the benchmark,
// in percentage points.
func TestPower(t *testing.T) {
	for _, test := range []struct {
		n          int
		discordant float64
		points     float64
	}{
		{1300, 0.05, 1.7}, {1300, 0.10, 2.5}, {1300, 0.15, 3.0}, {200, 0.05, 4.4}, {200, 0.10, 6.3}, {200, 0.15, 7.7},
	} {
		d := PairedMinimumEffect(float64(test.n), test.discordant, 0.05, Power)
		near(t, fmt.Sprint(test), 100*d, test.points, 0.05)
		// Connor's variance under the alternative is a little smaller.
		need := PairedNeeded(d, test.discordant, 0.05, Power)
		if need > float64(test.n)+1 || need < 0.9*float64(test.n) {
			t.Errorf("%v: the least effect needs %v pairs", test, need)
		}
	}
	// Of 20 pairs some 8 have to be on one side, whatever is expected.
	near(t, "few discordant pairs", PairedMinimumEffect(20, 0.05, 0.05, Power), 7.849/20, 1e-4)
	if d := PairedMinimumEffect(5, 0.05, 0.05, Power); !math.IsInf(d, 1) {
		t.Errorf("5 pairs find %v", d)
	}
	// Four pairs that are all right on one side only have a mid-p of 0.0625.
	if d, n := PairedMinimumEffect(4, 1, 0.05, Power), PairedNeeded(1, 1, 0.05, Power); !math.IsInf(d, 1) || n != 5 {
		t.Errorf("4 pairs find %v, and %v pairs the greatest difference", d, n)
	}
	near(t, "94.3 % against 92.8 %", UnpairedNeeded(&Share{Rate: 0.943, DesignEffect: 1}, &Share{Rate: 0.928, DesignEffect: 1}, 0.05, Power), 4206, 1)
	near(t, "half as much worth", UnpairedNeeded(&Share{Rate: 0.943, DesignEffect: 2}, &Share{Rate: 0.928, DesignEffect: 2}, 0.05, Power), 8411, 1)
	if n := UnpairedNeeded(&Share{Rate: 0.5}, &Share{Rate: 0.5, DesignEffect: 1}, 0.05, Power); !math.IsInf(n, 1) {
		t.Errorf("no difference needs %v", n)
	}
	if n := PairedNeeded(0.2, 0.1, 0.05, Power); !math.IsNaN(n) {
		t.Errorf("an impossible difference needs %v", n)
	}
}

// TestPublished is what the accuracies that the paper on the benchmark prints amount
// to; all in percent.
func TestPublished(t *testing.T) {
	percent := func(i Interval) Interval { return Interval{100 * i.Low, 100 * i.High} }
	share := func(rate float64, n int) Proportion { return Proportion{rate / 100 * float64(n), float64(n)} }
	ein, o3 := share(94.3, 1300), share(92.8, 1300)
	nearInterval(t, "94.3 of 1,300", percent(ein.Wilson(0.95)), Interval{92.9, 95.4}, 0.06)
	nearInterval(t, "92.8 of 1,300", percent(o3.Wilson(0.95)), Interval{91.2, 94.1}, 0.1)
	nearInterval(t, "92.9 of 350", percent(share(92.9, 350).Wilson(0.95)), Interval{89.7, 95.1}, 0.1)
	nearInterval(t, "82.0 of 350", percent(share(82, 350).Wilson(0.95)), Interval{77.6, 85.7}, 0.06)
	if z, p := ZTest(ein, o3); math.Abs(z-1.56) > 0.02 || math.Abs(p-0.12) > 0.005 {
		t.Errorf("94.3 against 92.8: z %v, p %v", z, p)
	}
	// With 20 more right, what decides is in how many the two differ.
	for discordant, want := range map[int]float64{40: 0.0015, 80: 0.026, 100: 0.046, 120: 0.069, 168: 0.124} {
		x := Paired{Both: 1300 - discordant, OnlyA: discordant/2 + 10, OnlyB: discordant/2 - 10}
		near(t, fmt.Sprintf("%d discordant", discordant), x.McNemarMidP(), want, 0.0006)
	}
	// A drop from 94.2 to 92.9 over the levels: no flatness within 4 points.
	l1, l3 := share(94.2, 550), share(92.9, 350)
	nearInterval(t, "slope", percent(Newcombe(l1, l3, 0.95)), Interval{-2, 4.8}, 0.3)
	if EquivalentShares(l1, l3, 0.04, 0.05).P < 0.05 {
		t.Error("the levels are shown to be equal")
	}
	// Seen against held out: 78.5 and 59.2, and 98.0 and 94.3.
	cells := []Proportion{share(78.5, 1300), share(59.2, 1300), share(98, 1300), share(94.3, 1300)}
	for i, half := range []float64{3.5, 1.5} {
		gap := percent(Newcombe(cells[2*i], cells[2*i+1], 0.95))
		near(t, "gap", (gap.High-gap.Low)/2, half, 0.06)
	}
	d := PriceBonett([]float64{1, -1, -1, 1}, cells)
	near(t, "difference of gaps", 100*d.Value, 15.6, 0.05)
	near(t, "its half width", 100*(d.Interval(0.95).High-d.Value), 3.8, 0.06)
}

// TestPairedNeededSimulated runs the test that the sample size is for.
func TestPairedNeededSimulated(t *testing.T) {
	const discordant, difference, runs = 0.2, 0.06, 2000
	n := int(PairedNeeded(difference, discordant, 0.05, Power))
	r := rand.New(rand.NewPCG(9, 10))
	found := 0
	for range runs {
		var x Paired
		for range n {
			switch u := r.Float64(); {
			case u < (discordant+difference)/2:
				x.OnlyA++
			case u < discordant:
				x.OnlyB++
			default:
				x.Both++
			}
		}
		if x.McNemarMidP() < 0.05 {
			found++
		}
	}
	near(t, fmt.Sprintf("power of %d pairs", n), float64(found)/runs, Power, 0.04)
}

// TestEquivalentShares has the likeliest shares by search, and that the test
// agrees with its interval.
func TestEquivalentShares(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		m, n := 5+r.IntN(80), 5+r.IntN(80)
		a, b := Count(r.IntN(m+1), m), Count(r.IntN(n+1), n)
		d := 1.8*r.Float64() - 0.9
		x, y := constrained(a, b, d)
		f := func(x float64) float64 {
			return xlog(a.Right, x) + xlog(a.N-a.Right, 1-x) + xlog(b.Right, x-d) + xlog(b.N-b.Right, 1-x+d)
		}
		want := likeliest(max(0, d), min(1, 1+d), f)
		near(t, fmt.Sprint(a, b, d), x, want, 1e-5)
		near(t, fmt.Sprint(a, b, d), x-y, d, 1e-12)
	}
	for _, test := range []struct {
		a, b  Proportion
		equal bool
	}{
		{Count(500, 550), Count(318, 350), true},  // 90.9 % and 90.9 %
		{Count(517, 550), Count(325, 350), false}, // 94.0 % and 92.9 %: compatible with a drop of 4.6
		{Count(50, 50), Count(50, 50), false},
		{Count(550, 550), Count(350, 350), true},
		{Count(0, 0), Count(50, 50), false},
		{Count(500, 550), Count(200, 350), false},
	} {
		x := EquivalentShares(test.a, test.b, 0.04, 0.05)
		if (x.P < 0.05) != test.equal {
			t.Errorf("%v and %v: %+v", test.a, test.b, x)
		}
		back := EquivalentShares(test.b, test.a, 0.04, 0.05)
		near(t, "turned", back.P, x.P, 1e-12)
	}
}

// TestCoverage logs how often the intervals hold the truth. Only what no correct
// interval can be is an error.
func TestCoverage(t *testing.T) {
	const runs = 2000
	r := rand.New(rand.NewPCG(13, 14))
	check := func(name string, cover func() bool) {
		t.Helper()
		held := 0
		for range runs {
			if cover() {
				held++
			}
		}
		t.Logf("%s: %.3f", name, float64(held)/runs)
		if share := float64(held) / runs; share < 0.90 || share > 0.995 {
			t.Errorf("%s covers in %.3f of the cases", name, share)
		}
	}
	draw := func(n int, p float64) (k int) {
		for range n {
			if r.Float64() < p {
				k++
			}
		}
		return k
	}
	for _, p := range []float64{0.5, 0.82, 0.95} {
		check(fmt.Sprintf("Wilson, 50 at %v", p), func() bool { return Wilson(draw(50, p), 50, 0.95).contains(p) })
		check(fmt.Sprintf("Newcombe, 50 and 80 at %v and 0.7", p), func() bool {
			return Newcombe(Count(draw(50, p), 50), Count(draw(80, 0.7), 80), 0.95).contains(p - 0.7)
		})
	}
	check("Tango, 50 pairs, 0.12 and 0.06 discordant", func() bool {
		var x Paired
		for range 50 {
			u := r.Float64()
			x.Add(u < 0.12 || u > 0.4, u >= 0.12 && u < 0.18 || u > 0.4)
		}
		return x.Tango(0.95).contains(0.06)
	})
	check("common difference, 60 answers in 10 strata", func() bool {
		var strata [10][2]Proportion
		for i := range 60 {
			k, side := r.IntN(10), min(1, i/40)
			p := &strata[k][side]
			p.N++
			p.Right += One(r.Float64() < 0.75-0.03*float64(k)-0.1*float64(side))
		}
		return CommonDifference(strata[:]).Interval(0.95).contains(0.1)
	})
	check("cluster-robust, 60 clusters of 3", func() bool {
		var x []float64
		var g []int
		for c := range 60 {
			p := r.Float64()
			for range 3 {
				v := 0.0
				if r.Float64() < p {
					v = 1
				}
				x, g = append(x, v), append(g, c)
			}
		}
		return Clustered(x, g).Interval(0.95).contains(0.5)
	})
}

// TestNested compares with the formulas of balanced designs, on numbers by hand, and finds the
// components that values were drawn with where the design is not balanced.
func TestNested(t *testing.T) {
	// Two structures of two surfaces of two answers: mean squares 8, 2 and 0.5.
	values := []float64{1, 2, 3, 4, 4, 5, 4, 5}
	c := Nested(values, []int{1, 1, 1, 1, 2, 2, 2, 2}, []int{1, 1, 2, 2, 1, 1, 2, 2})
	within, between, above := 4*0.5/4, 2*(1.0+1)/2, 4*2.0
	near(t, "answers", c.Answer, within, 1e-12)
	near(t, "surfaces", c.Surface, (between-within)/2, 1e-12)
	near(t, "structures", c.Structure, (above-between)/4, 1e-12)
	if !c.Surfaces || !c.Answers {
		t.Errorf("%+v", c)
	}
	single := Nested(values[:4], []int{1, 1, 2, 2}, []int{1, 2, 1, 2})
	near(t, "surfaces with what answers add", single.Surface, 0.5, 1e-12)
	near(t, "structures of those", single.Structure, 1.75, 1e-12)
	if none := Nested(values[:2], []int{1, 1}, []int{1, 1}); none != (Components{Answers: true}) {
		t.Errorf("one structure: %+v", none)
	}

	r := rand.New(rand.NewPCG(3, 4))
	var x []float64
	var a, b []int
	for i := range 20_000 {
		u := 2 * r.NormFloat64()
		for j := range 1 + r.IntN(4) {
			v := r.NormFloat64()
			for range 1 + r.IntN(3) {
				x, a, b = append(x, 10+u+v+0.5*r.NormFloat64()), append(a, i), append(b, j)
			}
		}
	}
	c = Nested(x, a, b)
	near(t, "drawn structures", c.Structure, 4, 0.15)
	near(t, "drawn surfaces", c.Surface, 1, 0.03)
	near(t, "drawn answers", c.Answer, 0.25, 0.01)
}

// contains reports whether x lies in the interval, ends included.
func (i Interval) contains(x float64) bool { return i.Low <= x && x <= i.High }
