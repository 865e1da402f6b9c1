package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ein"
	"ein/vm/code"
)

func (a *app) buildCommand() *cobra.Command {
	f, output := &programFlags{}, ""
	cmd := &cobra.Command{
		Use:   "build FILE -o FILE.einc",
		Short: "Compile a program to verified bytecode",
		Long: `Compiles a program to bytecode, which ein run, cost and dis take in its place.
Bytecode is verified when it is loaded. It is made for sizes: the inputs of the
program have to be bound, and a run has to bind data of the same sizes, with the
same nodes.

` + inputHelp,
		Example: `  ein build program.ein -o program.einc
  ein build paths.ein --input A=graph.csv -o paths.einc
  ein run paths.einc --input A=graph.csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: programFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.build(args[0], output, f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write; - is standard output")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic("BUG: ein: " + err.Error())
	}
	return cmd
}

func (a *app) build(name, output string, f *programFlags) error {
	if sameFile(name, output) {
		return a.usage("%s would be overwritten by its bytecode", name)
	}
	ctx, stop := a.context(0)
	defer stop()
	p, err := a.load(ctx, name, f, ein.Limits{})
	if err != nil {
		return err
	}
	if p.Source() == nil {
		return a.usage("%s is bytecode already", name)
	}
	a.warn(p, nil)
	data, err := p.MarshalBinary()
	if err != nil {
		return err
	}
	if output == "-" {
		return a.print(string(data))
	}
	if err := replaceFile(output, data); err != nil {
		return fmt.Errorf("cannot write %s: %w", output, cause(err))
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func (a *app) disCommand() *cobra.Command {
	f := &programFlags{}
	cmd := &cobra.Command{
		Use:   "dis FILE",
		Short: "List the bytecode of a program",
		Long: `Lists the bytecode of a program, or of a file made by ein build. The places of
the instructions are line:column of the program, or ranges of bytes when only
the bytecode is there.

` + inputHelp,
		Example: `  ein dis program.ein
  ein dis program.einc`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: programFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.dis(args[0], f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

func (a *app) dis(name string, f *programFlags) error {
	ctx, stop := a.context(0)
	defer stop()
	p, err := a.load(ctx, name, f, ein.Limits{})
	if err != nil {
		return err
	}
	var lines func(int) (int, int)
	if f := p.Source(); f != nil {
		lines = func(offset int) (int, int) {
			p := f.Position(offset)
			return p.Line, p.Column
		}
	}
	return a.print(code.Disassemble(p.Code(), lines))
}
