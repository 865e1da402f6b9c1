package steps

import (
	"context"
	"strings"
	"testing"
)

// TestWithin: work that ends gives its result, work that does not is left behind, and a panic comes back.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if got, ok := Within(ctx, func() int { return 7 }); got != 7 || !ok {
		t.Errorf("%d, %t", got, ok)
	}
	func() {
		defer func() {
			if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "wrong\n") {
				t.Errorf("the panic is %v", r)
			}
		}()
		Within(ctx, func() int { panic("wrong") })
	}()
	forever := make(chan int)
	if got, ok := Within(ctx, func() int { cancel(); return <-forever }); got != 0 || ok {
		t.Errorf("%d, %t", got, ok)
	}
	close(forever)
}
