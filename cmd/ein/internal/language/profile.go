//go:build !lean

package language

import (
	"bytes"
	"fmt"
	"runtime/pprof"

	"github.com/spf13/cobra"

	"ein/cmd/ein/internal/cli"
)

func cpuProfileFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "cpuprofile", "", "write a profile of the run to `file`, for go tool pprof")
}

// profiled writes a CPU profile of a run to a file, for go tool pprof.
func profiled(a *cli.App, file string, run func() error) error {
	if file == "" {
		return run()
	}
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		return fmt.Errorf("--cpuprofile: %w", err)
	}
	err := run()
	pprof.StopCPUProfile()
	if failed := a.WriteFile(file, b.Bytes()); err == nil {
		err = failed
	}
	return err
}
