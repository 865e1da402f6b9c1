package category

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"testing"
	"time"

	"ein/bench/question/draw"
)

func TestSpike(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	many, _ := strconv.Atoi(os.Getenv("MANY"))
	if n == 0 {
		t.Skip()
	}
	only := os.Getenv("CAT")
	for i := range Table {
		cat := &Table[i]
		if only != "" && cat.Name != only {
			continue
		}
		start := time.Now()
		type cell map[Out]map[Out]int
		tab := map[string]cell{}
		ans := map[Out]int{}
		redraws, loose, fail := 0, [3]int{}, 0
		depths := map[int]int{}
		ops := map[int]int{}
		var took time.Duration
		for k := range many {
			s := draw.New(draw.Key("spike", cat.Name, strconv.Itoa(k)))
			nn := n
			if n < 0 {
				nn = s.Between(8, -n)
			}
			permille := 0
			switch cat.Family {
			case Kinship:
				permille = s.Between(200, 600)
			case Undirected:
				permille = s.Between(2400, 3200) / (nn - 1)
			default:
				permille = s.Between(1200, 1900) / (nn - 1)
			}
			t0 := time.Now()
			d, err := cat.Choose(t.Context(), s, Shape{N: nn, Density: permille})
			took += time.Since(t0)
			if err != nil {
				fail++
				continue
			}
			redraws += d.Redraws
			loose[d.Loose]++
			depths[d.Depth]++
			ops[d.Operations]++
			w := &World{Query: d.Case.Query}
			w.Load(&d.Case)
			out, _, _ := cat.Solve(w)
			ans[out]++
			for _, g := range cat.Guesses(w) {
				if tab[g.Decoy] == nil {
					tab[g.Decoy] = cell{}
				}
				if tab[g.Decoy][g.Out] == nil {
					tab[g.Decoy][g.Out] = map[Out]int{}
				}
				tab[g.Decoy][g.Out][out]++
			}
		}
		best := 0
		for _, c := range ans {
			best = max(best, c)
		}
		maj := 100 * float64(best) / float64(many)
		fmt.Printf("%-22s %7.1fus redraws %6.2f loose %v fail %d maj %.1f distinct %d depth %v ops %v\n", cat.Name, float64(took.Microseconds())/float64(many), float64(redraws)/float64(many), loose, fail, maj, len(ans), depths, ops)
		var lines []string
		for name, c := range tab {
			right := 0
			if cat.Result == Set || cat.Result == String {
				for o, m := range c {
					right += m[o]
				}
			} else {
				for _, m := range c {
					b := 0
					for _, x := range m {
						b = max(b, x)
					}
					right += b
				}
			}
			acc := 100 * float64(right) / float64(many)
			if acc > maj+4 {
				lines = append(lines, fmt.Sprintf("      %+6.1f %s", acc-maj, name))
			}
		}
		sort.Strings(lines)
		for _, l := range lines {
			fmt.Println(l)
		}
		_ = start
	}
}
