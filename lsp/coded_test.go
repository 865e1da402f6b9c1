package lsp

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// TestCoded: no error reaches the client without a code that says what it is.
func TestCoded(t *testing.T) {
	for _, test := range []struct {
		err  error
		want jsonrpc2.Code
	}{
		{errors.New("plain"), jsonrpc2.InternalError},
		{fmt.Errorf("wrapped: %w", errors.New("plain")), jsonrpc2.InternalError},
		{context.Canceled, protocol.CodeRequestCancelled},
		{fmt.Errorf("reading: %w", context.Canceled), protocol.CodeRequestCancelled},
		{fmt.Errorf("%w: no object", jsonrpc2.ErrParse), jsonrpc2.InvalidParams},
		{jsonrpc2.Errorf(requestFailed, "refused"), requestFailed},
	} {
		wantCode(t, coded(test.err), test.want)
	}
	if err := coded(nil); err != nil {
		t.Errorf("got %v", err)
	}
}
