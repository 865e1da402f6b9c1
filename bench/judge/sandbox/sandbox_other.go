//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"runtime"
)

// Sandbox exists on Linux only.
type Sandbox struct{}

// Open always fails.
func Open(context.Context, Policy) (*Sandbox, error) {
	return nil, &Unavailable{
		Step:   "starting",
		Err:    fmt.Errorf("the sandbox is made of Linux namespaces and a system call filter, and this is %s/%s", runtime.GOOS, runtime.GOARCH),
		Remedy: "Use Linux on amd64 or arm64: a virtual machine will do.",
	}
}

// Run fails: there is no sandbox to run it in.
func (*Sandbox) Run(context.Context, string) (Result, error) { return Result{}, ErrClosed }

// Checks returns none.
func (*Sandbox) Checks() []Check { return nil }

// Versions returns none.
func (*Sandbox) Versions() Versions { return Versions{} }

// Close does nothing.
func (*Sandbox) Close() error { return nil }
