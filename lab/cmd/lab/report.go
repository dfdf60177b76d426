package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/page"
	"github.com/ebbpool/arena/lab/report"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "draw the page, its pictures and the table of docs/numbers.md from kept results",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "the results `FOLDER`", DefaultText: "the newest"},
			&cli.StringFlag{Name: "results", Value: "results", Usage: "`FOLDER` that has the results folders"},
			&cli.StringFlag{Name: "out", Value: "../docs/report", Usage: "`FOLDER` for the page and the pictures"},
			&cli.StringFlag{Name: "page", Usage: "put the table between the markers of `FILE`"},
		},
		Action: drawReport,
	}
}

func drawReport(_ context.Context, cmd *cli.Command) error {
	dir := cmd.String("from")
	if dir == "" {
		newest, err := matrix.Newest(cmd.String("results"))
		if err != nil {
			return bad(err)
		}
		dir = newest
	}
	r, err := report.Load(dir)
	if err != nil {
		return bad(err)
	}
	file := cmd.String("page")
	if file != "" {
		if err := page.Check(file, page.Lab); err != nil {
			return bad(err)
		}
	}
	out := cmd.String("out")
	var bar *progress
	err = r.Write(out, func(done, total int, what string) {
		if bar == nil {
			bar = newProgress(cmd.Root().ErrWriter, total)
		}
		bar.set(done, what)
	})
	if bar != nil {
		bar.finish()
	}
	if err != nil {
		return err
	}
	if file != "" {
		if err := page.Update(file, page.Lab, r.Markdown()); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.Root().Writer, "%s/index.html is drawn from %s\n", out, dir)
	return nil
}
