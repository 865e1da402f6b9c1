package serving

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"ein/bind"
	"ein/serve"
	"ein/serve/mcp"

	"ein/cmd/ein/internal/cli"
)

// mcpVerb declares ein mcp. The limits of a run are those of HTTP, by pipe too.
func mcpVerb(a *cli.App, tables bind.Tables) *cobra.Command {
	f := newFlags(tables)
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Run the Model Context Protocol server for agents",
		Long: `Serves one agent on standard input and output, or several over HTTP at /mcp of
--listen. Agents get the tools check, run, explain, why and doc, and a one-page
description of the language; docs/agents.md shows how to register the server. --input
gives programs your data. An agent can reach no other file, and no network.

By default a run may use 256 MiB, 2^30 operations, a million output elements and 10
seconds. An address that other machines can reach needs --token-file.`,
		Example: `  ein mcp
  ein mcp --input Owners=owners.csv
  ein mcp --listen 127.0.0.1:8081`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		f.given = cmd.Flags().Changed
		if err := f.settle(a); err != nil {
			return err
		}
		f.share()
		read := func(ctx context.Context, name string) (io.ReadCloser, error) {
			in, err := bind.Parse(name + "=" + f.Data[name])
			if err != nil {
				return nil, err
			}
			return f.Open(ctx, in.Path)
		}
		if f.listen != "" {
			return a.Fail(serveHTTP(a, f, func(s *serve.Server) http.Handler {
				mux := http.NewServeMux()
				mux.Handle("/mcp", s.Guard(mcp.Handler(mcp.New(s, f.Data, read))))
				return mux
			}))
		}
		ctx, stop := a.Context(0)
		defer stop()
		s := serve.New(f.Options)
		defer s.Close()
		streams := cli.Streams{Reader: a.In, Writer: a.Out}
		err := mcp.Stdio(ctx, mcp.New(s, f.Data, read), streams, streams, f.Timeout+5*time.Second)
		switch {
		case ctx.Err() != nil:
			return nil // the user stopped it
		case err != nil:
			err = fmt.Errorf("the conversation failed: %w\nAn agent starts `ein mcp`, and speaks the Model Context Protocol on its standard input", err)
		}
		return a.Fail(err)
	}
	cmd.Flags().StringVar(&f.listen, "listen", "", "`address` to listen on over HTTP, such as 127.0.0.1:8081")
	f.addDrain(cmd)
	f.addLimits(cmd)
	return cmd
}
