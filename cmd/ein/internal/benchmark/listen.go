package benchmark

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"ein/serve"

	"ein/cmd/ein/internal/cli"
)

// listenFlags holds the flags that say where to serve.
type listenFlags struct {
	listen string
	expose bool
}

func (f *listenFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 picks a free port")
	cmd.Flags().BoolVar(&f.expose, "expose", false, "allow an address that other machines can reach")
}

// server is an HTTP server that listens until it is closed.
type server struct {
	*http.Server
	address string
	ended   chan error
}

// serve starts a server of h at --listen; it accepts connections once serve returns. An address
// that other machines reach takes --expose, so that nobody opens one by accident.
func (f *listenFlags) serve(ctx context.Context, a *cli.App, h http.Handler) (*server, error) {
	local, err := serve.Loopback(f.listen)
	if err != nil {
		return nil, a.Usage("--listen %v", err)
	}
	if !f.expose && !local {
		return nil, a.Usage("--listen %s can be reached by other machines: give --expose as well if that is what you want", f.listen)
	}
	if !f.expose {
		h = serve.Local(h, "--expose")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return nil, fmt.Errorf("cannot serve at %s: %w", f.listen, err)
	}
	s := &server{&http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}, "http://" + l.Addr().String(), make(chan error, 1)}
	go func() { s.ended <- s.Serve(l) }()
	return s, nil
}

// wait blocks until the context ends.
func (s *server) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.ended:
		return fmt.Errorf("the server has ended: %w", err)
	}
}
