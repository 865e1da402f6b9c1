package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ein/internal/version"
	"ein/lang"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of ein and what it was built from",
		Example: "  ein version",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintln(a.out, version.Line(lang.Version))
	return a.wrote(err)
}
