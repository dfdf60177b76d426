package main

import (
	"context"
	"github.com/urfave/cli/v3"
)

func reportCommand() *cli.Command {
	return &cli.Command{Name: "report", Action: func(_ context.Context, cmd *cli.Command) error { return nil }}
}
