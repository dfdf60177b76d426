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
			&cli.StringFlag{Name: "page", Usage: "put the tables of the newest results of each maker's processors between the markers of `FILE`"},
			&cli.BoolFlag{Name: "dirty", Usage: "draw results of a tree with uncommitted changes, too; the page says so"},
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
	shown := []*report.Report{r}
	if file != "" {
		if err := page.Check(file, page.Lab); err != nil {
			return bad(err)
		}
		if shown, err = report.LoadEach(cmd.String("results")); err != nil {
			return bad(err)
		}
	}
	for _, one := range append(shown, r) {
		if one.Environment.Dirty() && !cmd.Bool("dirty") {
			return bad(fmt.Errorf("the results of %s are of a tree with uncommitted changes (%s): nobody else can build what was measured. "+
				"Commit and measure again with lab run; or give -dirty: they are drawn, and the page says what they are of", one.Name(), one.Environment.Commit))
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
		if err := page.Update(file, page.Lab, report.Markdown(shown)); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.Root().Writer, "%s/index.html is drawn from %s\n", out, dir)
	return nil
}
