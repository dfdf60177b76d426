// Command lab measures the arena package beside what its users would pick instead. Each
// command writes its results into a file in Go's benchmark format, which benchstat reads;
// with -publish the medians go to docs/figures.csv, from which the tables of the pages are
// made, and "lab report" the pictures and the page.
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

// badInput is an error that the user can mend: a name, a flag, a file. Nothing
// was written.
type badInput struct{ error }

func (b badInput) Unwrap() error { return b.error }

// bad marks an error as the input's.
func bad(err error) error {
	if err == nil {
		return nil
	}
	return badInput{err}
}

// code is the exit code: 2 for bad input, 1 for what failed with good input.
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
		Usage:        "measure the arena package beside what its users would pick instead",
		Commands:     all,
		OnUsageError: usage,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if name := cmd.Args().First(); name != "" {
				return bad(fmt.Errorf("there is no command %q", name))
			}
			return cli.ShowAppHelp(cmd)
		},
		// Errors are printed by main, once.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
}
