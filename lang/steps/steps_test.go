package steps

import (
	"context"
	"testing"
)

func TestCounter(t *testing.T) {
	var none Counter
	if none.Add(10 * Poll) {
		t.Error("a counter without a context was stopped")
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := New(ctx)
	if c.Add(3 * Poll) {
		t.Error("it was stopped before its context")
	}
	cancel()
	for range Poll {
		if c.Add(1) {
			return
		}
	}
	t.Errorf("it goes on for %d steps after its context", Poll)
}
