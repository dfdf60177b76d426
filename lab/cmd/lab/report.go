package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/figures"
	"github.com/ebbpool/arena/lab/report"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "draw the pictures and the page from docs/figures.csv",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "figures", Value: filepath.Join(root, "docs/figures.csv"), Usage: "read the figures from `FILE`"},
			&cli.StringFlag{Name: "out", Value: filepath.Join(root, "_build/report"), Usage: "write to `DIR`"},
			&cli.BoolFlag{Name: "publish", Usage: "also update the pictures and tables of the pages"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			all, err := figures.Read(cmd.String("figures"))
			if err != nil {
				return bad(err)
			}
			if err := report.Write(cmd.String("out"), all); err != nil || !cmd.Bool("publish") {
				return err
			}
			if err := figures.Publish(root, nil); err != nil { // the format of the tables may have changed
				return err
			}
			for _, name := range []string{"load.svg", "latency.svg", "work.svg"} {
				svg, err := os.ReadFile(filepath.Join(cmd.String("out"), name))
				if err = errors.Join(err, os.WriteFile(filepath.Join(root, "docs/pictures", name), svg, 0o644)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
