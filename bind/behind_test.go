package bind

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ein/vm/graphio"
	"ein/vm/tensor"
)

// TestBehind holds relations that are bound again, when more is known, against those that are read anew.
func TestBehind(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		names := func(n int) (list []string) {
			for _, k := range r.Perm(12)[:n] {
				list = append(list, fmt.Sprint("n", k))
			}
			return list
		}
		var decls, anew []graphio.Decl
		for _, name := range []string{"P", "Q"} {
			var b strings.Builder
			b.WriteString("s,t,w\n")
			for range r.IntN(8) {
				fmt.Fprintf(&b, "n%d,n%d,n%d\n", r.IntN(9), r.IntN(9), r.IntN(9))
			}
			node, text := &tensor.Domain{Name: nodes}, &tensor.Domain{Name: "text"}
			reader := &Reader{Lines: true}
			for _, list := range []*[]graphio.Decl{&decls, &anew} {
				raw, err := reader.Read(context.Background(), Input{Name: name, Data: strings.NewReader(b.String()), Options: graphio.Options{Format: graphio.CSV}},
					Declared{name, graphio.Relation, []tensor.Column{{Name: "s", Domain: node}, {Name: "t", Domain: node}, {Name: "w", Kind: tensor.TextColumn, Domain: text}}})
				if err != nil {
					t.Fatal(err)
				}
				*list = append(*list, graphio.Decl{Name: name, Raw: raw})
			}
		}
		known, domains := names(5), map[string][]string{"text": names(3)}
		if _, err := Bind(decls, known[:r.IntN(5)], map[string][]string{"text": domains["text"][:r.IntN(3)]}); err != nil {
			t.Fatal(err)
		}
		got, err := Bind(decls, known, domains)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Bind(anew, known, domains)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Labels, want.Labels) {
			t.Fatalf("seed %d: the nodes are %v, want %v", seed, got.Labels, want.Labels)
		}
		for name := range want.Values {
			a, b := got.Values[name].Table, want.Values[name].Table
			for c := range b.Columns {
				x, y := a.Columns[c].Domain, b.Columns[c].Domain
				order, rank := x.Order()
				wantOrder, wantRank := y.Order()
				if !reflect.DeepEqual(x.Labels, y.Labels) || x.Size != y.Size || !reflect.DeepEqual(order, wantOrder) || !reflect.DeepEqual(rank, wantRank) {
					t.Fatalf("seed %d: column %d of %s is over %v in the order %v, want %v, %v", seed, c, name, x.Labels, order, y.Labels, wantOrder)
				}
			}
			if !reflect.DeepEqual(a.Cells, b.Cells) || !reflect.DeepEqual(a.Origin, b.Origin) || a.Len != b.Len {
				t.Fatalf("seed %d: %s is %v, want %v", seed, name, a, b)
			}
		}
	}
}
