// Command otlp is a small receiver of OpenTelemetry's traces, logs and metrics over gRPC. When it is stopped,
// it prints a summary for each service.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/otlp/receiver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "otlp:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("otlp", flag.ContinueOnError)
	addr := flags.String("listen", "localhost:4317", "address to listen at")
	plain := flags.Bool("plain", false, "without arenas, as grpc-go does it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var pool *arena.ArenaPool
	if !*plain {
		pool = arena.NewAutoPool(0)
		pool.SetLimit(64<<20, 512<<20) // of a call, and of all calls
	}
	r := receiver.New()
	server := receiver.Server(r, pool)
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "listening at", l.Addr())
	defer context.AfterFunc(ctx, server.GracefulStop)()
	if err := server.Serve(l); err != nil {
		return err
	}
	r.Print(out)
	if pool != nil {
		s := pool.Stats()
		fmt.Fprintf(out, "%d arenas were taken, %d given back\n", s.Gets, s.Puts)
	}
	return nil
}
