package plan_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// tangle is a random program whose values are used in many ways: in several
// products, in a product and by a select, as outputs and in other outputs.
func tangle(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(ij + "input G: graph\ninput v: vector\n")
	matrices, vectors := []string{"A", "M", "G"}, []string{"v"}
	pick := func(list []string) string { return list[max(0, len(list)-1-r.IntN(4))] }
	letters := "abcdef"
	index := func() string { return string(letters[r.IntN(3+r.IntN(3))]) }
	scalars := []string{"i", "j"}
	for s := range 4 + r.IntN(10) {
		name := fmt.Sprint("T", s)
		switch r.IntN(12) {
		case 0, 1, 2, 3: // a product of 1 to 4 factors, any pattern
			var used, factors []string
			for range 1 + r.IntN(4) {
				x, y := index(), index()
				if r.IntN(4) == 0 {
					factors, used = append(factors, pick(vectors)+"["+x+"]"), append(used, x)
				} else {
					factors, used = append(factors, pick(matrices)+"["+x+","+y+"]"), append(used, x, y)
				}
			}
			right := "min(" + strings.Join(factors, " ") + ", 9)"
			x, y := used[r.IntN(len(used))], used[r.IntN(len(used))]
			if r.IntN(3) > 0 {
				right = strings.Join(factors, " ")
			}
			fmt.Fprintf(&b, "%s_[%s,%s] = %s\n%s = clamp(%s_, -9, 9)\n", name, x, y, right, name, name)
			matrices = append(matrices, name)
			if r.IntN(2) == 0 { // compared with 0, and perhaps read whole as well
				fmt.Fprintf(&b, "%sp = %s_ > 0\n", name, name)
				matrices = append(matrices, name+"p")
			}
		case 4:
			fmt.Fprintf(&b, "%s = max(%s, transpose(%s))\n", name, pick(matrices), pick(matrices))
			matrices = append(matrices, name)
		case 5:
			fmt.Fprintf(&b, "%s = tc(%s)\n", name, pick(matrices))
			matrices = append(matrices, name)
		case 6:
			fmt.Fprintf(&b, "%s[k] = select(%s, %s, k)\n", name, pick(matrices), pick(scalars))
			vectors = append(vectors, name)
		case 7:
			fmt.Fprintf(&b, "%s[k] = clamp(%s[k,k] + %s[k], -9, 9)\n", name, pick(matrices), pick(vectors))
			vectors = append(vectors, name)
		case 8:
			fmt.Fprintf(&b, "%s = clamp(sum(%s, %d), -9, 9)\n", name, pick(matrices), r.IntN(2))
			vectors = append(vectors, name)
		case 9:
			fmt.Fprintf(&b, "%s = clamp(select(%s, i, j), 0, 2)\n", name, pick(matrices))
			scalars = append(scalars, name)
		case 10:
			fmt.Fprintf(&b, "%s = where(%s > %s, %s, 1 - %s)\n", name, pick(matrices), pick(matrices), pick(matrices), pick(matrices))
			fmt.Fprintf(&b, "%s = clamp(%s, -9, 9)\n", name, name)
			matrices = append(matrices, name)
		case 11:
			fmt.Fprintf(&b, "%s[a,b] %s= %s[a,c] + %s[c,b]\n%s = clamp(%s, -9, 9)\n", name, []string{"max", "min"}[r.IntN(2)], pick(matrices), pick(matrices), name, name)
			matrices = append(matrices, name)
		}
	}
	b.WriteString(":print ")
	for k := range 2 + r.IntN(3) {
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(pick([][]string{matrices, vectors, scalars}[r.IntN(3)]))
	}
	return b.String() + "\n"
}

// TestNeutral: programs whose values are shared in every way give the same
// optimised and plain.
func TestNeutral(t *testing.T) {
	n := 250
	if testing.Short() {
		n = 60
	}
	for seed := range n {
		neutral(t, tangle(rand.New(rand.NewPCG(uint64(seed), 2))))
	}
}

// TestManyFactors: products past the size up to which all orders are tried, and
// tensors of the highest rank.
func TestManyFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for k := 5; k <= 20; k++ {
		var factors, ring []string
		for i := range k {
			factors = append(factors, fmt.Sprintf("A[i%d,i%d]", r.IntN(min(i+1, 12)), min(i+1, 12)))
			ring = append(ring, fmt.Sprintf("M[i%d,i%d]", i, (i+1)%k))
		}
		text := a + fmt.Sprintf("x[i0,i3] = %s\n", strings.Join(factors, " "))
		if k < 9 { // the plain way multiplies from the left
			text += m + fmt.Sprintf("y = %s\n:print x, y", strings.Join(ring, " "))
		}
		if text = text + "\n"; k < 9 {
			text = m + strings.ReplaceAll(text, m, "")
		}
		neutral(t, text)
	}
	neutral(t, a+"T[a,b,c,d,e,f,g,h] = A[a,b] A[c,d] A[e,f] A[g,h]\nx[c,h] = T[a,a,c,d,d,f,g,h] A[g,f]\ny[h,g,f,e,d,c,b,a] = T[a,b,c,d,e,f,g,h] A[h,a]\n:print x, y")
}

// TestDeepChains: ten thousand statements one on another take time and stack in
// proportion.
func TestDeepChains(t *testing.T) {
	for name, line := range map[string]string{
		"scalar":  "s = s + 1\n",
		"vector":  "v = v + 1\n",
		"squared": "s = s * s\n",
		"product": "A[i,k] = A[i,j] E[j,k]\n",
		"view":    "A[i,j] = A[j,i]\n",
		"select":  "v[k] = v[k] * v[0]\n",
		"shared":  "v = min(v, sum(v))\n",
	} {
		text := "s = 1\nv = ones(3)\nA = ones(2, 2)\nE = eye(2)\n" + strings.Repeat(line, 9900) + ":print s, v, A\n"
		start := time.Now()
		got, err := result(t, text, nil, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		took := time.Since(start)
		want, err := result(t, text, nil, true)
		if err != nil || got != want {
			t.Errorf("%s: %s, want %s %v", name, got, want, err)
		}
		t.Logf("in %v", took)
		t.Logf("%s: %v", name, took.Round(time.Millisecond))
	}
}

// TestStaticSizes: a size that is the end of exponentially many paths.
func TestStaticSizes(t *testing.T) {
	neutral(t, "n = 1\n"+strings.Repeat("n = n * n\n", 100)+"x = ones(n)\n")
}
