// Command lab compares the arena package with the alternatives that its users have. Each command writes its
// results to a file in Go's benchmark format, for benchstat. With -publish the medians are stored in
// docs/figures.csv, from which the tables of the pages are generated; "lab report" generates the pictures and
// the page.
package main

import (
	"context"
	"errors"
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
		os.Exit(code(err))
	}
}

// badInput is an error in the user's input: a name, a flag, a file. Nothing was written.
type badInput struct{ error }

func (b badInput) Unwrap() error { return b.error }

// bad marks an error as one of the input.
func bad(err error) error {
	if err == nil {
		return nil
	}
	return badInput{err}
}

// code returns the exit code: 2 for bad input, 1 for other errors.
func code(err error) int {
	if errors.As(err, new(badInput)) {
		return 2
	}
	return 1
}

func app() *cli.Command {
	usage := func(_ context.Context, _ *cli.Command, err error, _ bool) error { return bad(err) }
	all := []*cli.Command{
		benchCommand(), isolationCommand(), matrixCommand(), jsonCommand(), codecsCommand(), cppCommand(), keepCommand(), reportCommand(),
	}
	for _, c := range all {
		c.OnUsageError = usage
	}
	return &cli.Command{
		Name:         "lab",
		Usage:        "compare the arena package with the alternatives of its users",
		Commands:     all,
		OnUsageError: usage,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if name := cmd.Args().First(); name != "" {
				return bad(fmt.Errorf("unknown command %q\nRun 'lab help' for usage", name))
			}
			return cli.ShowAppHelp(cmd)
		},
		// main prints errors.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
}
