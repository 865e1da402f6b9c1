//go:build lean

package language

import (
	"github.com/spf13/cobra"

	"ein/cmd/ein/internal/cli"
)

// The writer of profiles would be 80 kB of the command.
func cpuProfileFlag(*cobra.Command, *string) {}

func profiled(_ *cli.App, _ string, run func() error) error { return run() }
