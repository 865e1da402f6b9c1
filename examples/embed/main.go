// Command embed runs an Ein program from Go: data and program come from
// strings, the limits are those of the host.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

const program = `
input Owns: graph
Controls = desc(Owns, "holding")
Chain = path(Owns, "holding", "harbor")
:print Controls, Chain
`

const owners = `from,to
holding,north
north,harbor
south,harbor
`

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	// Read the data and number the nodes.
	raw, err := graphio.Read(strings.NewReader(owners), "owners.csv", graphio.Options{Kind: graphio.Graph})
	if err != nil {
		return err
	}
	values, labels, _, err := graphio.Bind([]graphio.Decl{{Name: "Owns", Raw: raw}}, nil)
	if err != nil {
		return err
	}

	// Check the program with its inputs and compile it. Nothing has run yet, but
	// the certificate says what a run can cost at most.
	opt := lang.Options{Inputs: map[string]*tensor.Value{"Owns": &values[0]}, Labels: labels}
	module, _, err := lang.Load("control.ein", program, opt)
	if err != nil {
		return err
	}
	fmt.Println("at most", module.Certificate.Ops, "operations")

	// Refuse it if that is too much; run it for a second at most.
	machine, err := vm.New(module, cost.Limits{MaxOps: 1e6, MaxBytes: 1 << 20})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	result, err := machine.Run(ctx, values)
	if err != nil {
		return err
	}
	for _, out := range result.Outputs {
		fmt.Println(out.Name)
		for i, x := range out.Value.ToDense() {
			fmt.Printf("  %-8s %v\n", labels[i], x)
		}
	}
	return nil
}
