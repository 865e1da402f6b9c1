package show

import (
	"context"
	"fmt"
	"io"
	"testing"

	"ein/vm"
	"ein/vm/tensor"
)

func BenchmarkShow(b *testing.B) {
	write := map[string]func(context.Context, io.Writer, *vm.Output, Options) error{"text": Text, "json": JSON}
	for name, f := range write {
		for _, cols := range []int{1, 1000} {
			out := &vm.Output{Name: "X", Value: dense(tensor.Int, iota(1_000_000), 1_000_000/cols, cols)}
			b.Run(fmt.Sprintf("%s/%d", name, cols), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := f(context.Background(), io.Discard, out, Options{Full: true}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
