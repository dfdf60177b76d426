// Command lab measures the arena package: "lab stress" runs a request handler
// under load over the Go heap, a sync.Pool and an ArenaPool; "lab bench" runs
// the arena package's benchmarks in rounds and makes the README's table.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/urfave/cli/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := app().Run(ctx, os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		stop()
		os.Exit(1)
	}
}

func app() *cli.Command {
	return &cli.Command{
		Name:     "lab",
		Usage:    "measure the arena package beside what its users would pick instead",
		Commands: []*cli.Command{stressCommand(), childCommand(), benchCommand(), cppCommand()},
		// Errors are printed by main, once.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
}
