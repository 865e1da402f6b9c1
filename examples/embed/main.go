// Command embed runs an Ein program from Go, with its own program, data and limits.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"ein"
)

const program = `
input Owns: graph
Controls = desc(Owns, "holding")
Chain = path(Owns, "holding", "harbor")
:print Controls, Chain
`

var owners = [][2]string{
	{"holding", "north"},
	{"north", "harbor"},
	{"south", "harbor"},
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	p, err := ein.Compile("control.ein", program, ein.Options{Limits: ein.Limits{MaxOps: 1e6, MaxBytes: 1 << 20}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// With its data the program is certified: nothing has run yet.
	p, err = p.Bind(ctx, ein.Data("Owns", owners))
	if err != nil {
		return err
	}
	fmt.Println("at most", p.Certificate().Ops, "operations")
	r, err := p.Run(ctx)
	if err != nil {
		return err
	}
	controls, err := r.Output("Controls").Nodes()
	if err != nil {
		return err
	}
	fmt.Println("holding controls", controls)
	fmt.Print(r)
	return nil
}
