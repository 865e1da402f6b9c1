//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"runtime"
)

// Sandbox exists on Linux only.
type Sandbox struct{}

// Open refuses.
func Open(context.Context, Policy) (*Sandbox, error) {
	return nil, &Unavailable{
		Step:   "starting",
		Err:    fmt.Errorf("the sandbox is made of Linux namespaces and a system call filter, and this is %s/%s", runtime.GOOS, runtime.GOARCH),
		Remedy: "Use Linux on amd64 or arm64: a virtual machine will do.",
	}
}

// Run does not exist here.
func (*Sandbox) Run(context.Context, string) (Result, error) { return Result{}, ErrClosed }

// Checks are none.
func (*Sandbox) Checks() []Check { return nil }

// Versions are none.
func (*Sandbox) Versions() Versions { return Versions{} }

// Close does nothing.
func (*Sandbox) Close() error { return nil }
