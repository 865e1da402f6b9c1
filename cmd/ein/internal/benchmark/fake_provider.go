package benchmark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/ask/eval"
	"ein/bench/ask/model/fake"
	"ein/bench/ask/run"
	"ein/bench/question/surface"
	"ein/internal/lists"
	"ein/internal/table"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

type fakeFlags struct {
	fake.Options
	listenFlags
	instances string
	surfaces  int
	encodings []surface.Encoding
	command   []string
}

// fakeProviders lists the wire formats in the order in which they are printed, each with the
// environment variable from which clients take a key.
var fakeProviders = []struct{ name, key string }{
	{"openai", "OPENAI_API_KEY"}, {"anthropic", "ANTHROPIC_API_KEY"}, {"gemini", "GEMINI_API_KEY"},
}

func fakeProviderVerb(a *cli.App) *cobra.Command {
	f := &fakeFlags{}
	names := lists.Map(fake.Faults(), func(fault fake.Fault) string { return fault.Name })
	cmd := &cobra.Command{
		Use:   "fake-provider [-- COMMAND...]",
		Short: "Serve provider APIs without a model, for trying things offline",
		Long: `Serves the APIs of OpenAI (chat completions and Responses), Anthropic (Messages) and
Gemini (generateContent) on this machine, batches included, and answers the questions
of --instances as a baseline does: majority, random, oracle, oracle-ein or
noisy-ein@RATE. To any other question it replies that it does not know it.

It rejects what the providers reject: a wrong key, an unknown model, a parameter that a
model does not take. A model asked to think reports reasoning tokens as its provider does.

With --fault-rate, it also fails as they do. What happens to a request depends on
--seed, its body and how often it was sent; after three faults in a row it succeeds.
The default faults are those that a retry overcomes, except hang. --faults chooses
from all of them; a batch fault applies to a whole batch:

` + wrapWords(names, 84) + `

It prints the base URLs and the key, and serves until it is interrupted. With a command
after --, it serves while the command runs and exits with its exit code: {openai},
{anthropic} and {gemini} in the arguments become the base URLs, and the key is in the
environment variables that clients read.`,
		Example: `  ein bench fake-provider --instances heldout.jsonl --model-behaviour noisy-ein@0.1
  ein bench fake-provider --instances heldout.jsonl --fault-rate 0.1 -- \
    ein bench eval --model openai:gpt-6.2-sol --base-url {openai} --instances heldout.jsonl --out runs/try`,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) > 0 && at != 0 {
				return errors.New("a command goes behind --")
			}
			return nil
		},
		RunE: a.Do(func(ctx context.Context, args []string) error {
			f.command = args
			return serveFake(ctx, a, f)
		}),
	}
	flags := cmd.Flags()
	f.add(cmd)
	flags.StringVar(&f.instances, "instances", "", "`file` of the instances to answer (- is standard input)")
	f.surfaces = 1
	cli.Some(cmd, &f.encodings, "encoding", surface.Encodings(), "`encodings` of the graph to answer, with commas, for ein bench eval --encoding (default: as in the file)")
	cli.Int(1, run.MaxSamples).Flag(cmd, &f.surfaces, "surfaces", "`number` of surfaces of each instance to answer, for ein bench eval --surfaces")
	flags.StringVar(&f.Behaviour, "model-behaviour", "oracle", "`baseline` that answers")
	flags.Float64Var(&f.FaultRate, "fault-rate", 0, "`share` of requests that fail, 0 to 1")
	flags.StringSliceVar(&f.Faults, "faults", nil, "comma-separated `faults` to choose from (default: all that pass)")
	cli.Duration.Flag(cmd, &f.Latency, "latency", "delay before every answer")
	cli.Seed.Flag(cmd, &f.Seed, "seed", "`seed` of the faults")
	flags.StringVar(&f.Key, "key", fake.DefaultKey, "`key` to accept")
	a.JSONFlag(cmd, "print the base URLs and the key as one JSON object")
	cli.Complete(cmd, "model-behaviour", "majority", "random", "oracle", "oracle-ein", "noisy-ein@0.1")
	cli.Complete(cmd, "faults", names...)
	return cmd
}

// wrapWords wraps words to a width and indents the lines.
func wrapWords(words []string, width int) string {
	text, column := " ", 1
	for _, w := range words {
		if column+1+len(w) > width {
			text, column = text+"\n ", 1
		}
		text += " " + w
		column += 1 + len(w)
	}
	return text
}

// serveFake serves a provider that answers from instances, until the context ends or the command
// after the -- does, and then prints what it has answered, refused and failed on purpose.
func serveFake(ctx context.Context, a *cli.App, f *fakeFlags) error {
	if f.instances != "" {
		var err error
		if f.Instances, err = instanceList(ctx, a, f.instances); err != nil {
			return err
		}
		f.Instances, err = eval.Surfaces(f.Instances, f.surfaces)
		if err == nil && len(f.encodings) > 0 {
			f.Instances, _, err = eval.Encode(f.Instances, f.encodings)
		}
		if err != nil {
			return cli.Input("", f.instances, 0, err.Error(), "")
		}
	}
	server, err := fake.New(f.Options)
	switch {
	case err != nil:
		return a.Usage("%v", err)
	case len(f.Faults) > 0 && f.FaultRate == 0:
		return a.Usage("--faults chooses what fails, and --fault-rate is 0: give it as well")
	}
	s, err := f.serve(ctx, a, server)
	if err != nil {
		return err
	}
	if len(f.command) > 0 {
		err = runBeside(a, f, s.address)
	} else {
		err = serveUntil(ctx, a, f, s)
	}
	err = cmp.Or(err, s.Close())
	n := server.Stats()
	faults := 0
	for _, k := range n.Faults {
		faults += k
	}
	lost := ""
	if n.Requests == 0 && len(f.command) > 0 && !strings.ContainsRune(strings.Join(f.command, ""), '{') {
		lost = ": the command had none of {openai}, {anthropic} and {gemini}"
	}
	a.Printf("%s: %s answered, %s refused, %s faults%s\n", words.Plural(n.Requests, "request"), words.Count(n.Answered), words.Count(n.Refused), words.Count(faults), lost)
	return err
}

// serveUntil prints the address of the server and waits until the context ends.
func serveUntil(ctx context.Context, a *cli.App, f *fakeFlags, s *server) error {
	urls := map[string]string{"key": f.Key}
	var rows [][]string
	for _, p := range fakeProviders {
		urls[p.name] = fake.BaseURL(p.name, s.address)
		rows = append(rows, []string{p.name, urls[p.name]})
	}
	err := a.Result(urls, func() string { return strings.Join(table.Align("", append(rows, []string{"key", f.Key})), "") })
	if err != nil {
		return err
	}
	return s.wait(ctx)
}

// runBeside runs a command while the server is up.
func runBeside(a *cli.App, f *fakeFlags, address string) error {
	args := make([]string, len(f.command))
	for i, s := range f.command {
		for _, p := range fakeProviders {
			s = strings.ReplaceAll(s, "{"+p.name+"}", fake.BaseURL(p.name, address))
		}
		args[i] = s
	}
	// An interrupt at the terminal reaches the command as well: it is the command's to
	// answer, and this one ends with it.
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.Err
	cmd.Env = cmd.Environ()
	for _, p := range fakeProviders {
		cmd.Env = append(cmd.Env, p.key+"="+f.Key)
	}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= 0 {
		return cli.Status(exit.ExitCode())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
