package stats

// Components is what a variance is made of: structures, surfaces of one structure, and
// answers to one surface. None is below 0.
type Components struct {
	Structure float64 `json:"structure"`
	Surface   float64 `json:"surface"`
	Answer    float64 `json:"answer"`
	// Surfaces and Answers say whether there are structures with several surfaces, and
	// surfaces with several answers. Without the latter the component of surfaces has that of
	// answers in it.
	Surfaces bool `json:"surfaces"`
	Answers  bool `json:"answers"`
}

// Total returns the sum.
func (c Components) Total() float64 { return c.Structure + c.Surface + c.Answer }

// Nested estimates the components of values that are nested in surfaces, and those in
// structures, from the mean squares of both (Henderson 1953, Estimation of variance and
// covariance components, method 1). Designs need not be balanced.
func Nested[A, B comparable](values []float64, structure []A, surface []B) Components {
	type key struct {
		a A
		b B
	}
	type group struct{ n, sum float64 }
	structures, surfaces := map[A]*group{}, map[key]*group{}
	add := func(g *group, x float64) { g.n, g.sum = g.n+1, g.sum+x }
	for i, x := range values {
		k := key{structure[i], surface[i]}
		if structures[k.a] == nil {
			structures[k.a] = &group{}
		}
		if surfaces[k] == nil {
			surfaces[k] = &group{}
		}
		add(structures[k.a], x)
		add(surfaces[k], x)
	}
	n, i, j := float64(len(values)), float64(len(structures)), float64(len(surfaces))
	c := Components{Surfaces: j > i, Answers: n > j}
	if i < 2 {
		return c
	}
	var within, between, above []float64 // sums of squares
	var squares, shares []float64        // of the sizes of surfaces, over n and over the size of their structure
	for at, x := range values {
		g := surfaces[key{structure[at], surface[at]}]
		d := x - g.sum/g.n
		within = append(within, d*d)
	}
	for k, g := range surfaces {
		s := structures[k.a]
		d := g.sum/g.n - s.sum/s.n
		between = append(between, g.n*d*d)
		squares, shares = append(squares, g.n*g.n/n), append(shares, g.n*g.n/s.n)
	}
	var sizes []float64
	all := mean(values)
	for _, s := range structures {
		d := s.sum/s.n - all
		above = append(above, s.n*d*d)
		sizes = append(sizes, s.n*s.n/n)
	}
	if c.Answers {
		c.Answer = total(within) / (n - j)
	}
	if c.Surfaces {
		c.Surface = max(0, (total(between)/(j-i)-c.Answer)*(j-i)/(n-total(shares)))
	}
	rest := total(above)/(i-1) - c.Answer - c.Surface*(total(shares)-total(squares))/(i-1)
	c.Structure = max(0, rest*(i-1)/(n-total(sizes)))
	return c
}
