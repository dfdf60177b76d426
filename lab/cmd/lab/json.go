package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/jsonbench"
	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/page"
	"github.com/ebbpool/arena/lab/ratios"
)

func jsonCommand() *cli.Command {
	return &cli.Command{
		Name:  "json",
		Usage: "measure arenajson beside the other JSON codecs",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rounds", Value: 7, Usage: "times that all is measured"},
			&cli.DurationFlag{Name: "time", Value: 100 * time.Millisecond, Usage: "how long each measurement takes"},
			&cli.StringSliceFlag{Name: "corpus", Usage: "measure this `DOCUMENT` only; may be repeated"},
			&cli.StringSliceFlag{Name: "codec", Usage: "measure this `CODEC` only; may be repeated"},
			&cli.StringFlag{Name: "go", Usage: "measure encoding/json and json/v2 in a program of `GO`, too: newest, a toolchain's name or the path of a go command"},
			&cli.IntFlag{Name: "live", Value: jsonbench.LiveObjects, Usage: "objects that live beside some of the documents; 0 leaves these rows out"},
			&cli.StringFlag{Name: "csv", Usage: "write raw rows to `FILE`"},
			&cli.StringFlag{Name: "from", Usage: "read raw rows from `FILE` instead of measuring"},
			&cli.StringFlag{Name: "page", Usage: "put the tables between the markers of `FILE`"},
		},
		Action: runJSON,
	}
}

func runJSON(ctx context.Context, cmd *cli.Command) error {
	rows, err := jsonRows(ctx, cmd)
	if err != nil {
		return err
	}
	table := jsonbench.Markdown(rows)
	if _, err := fmt.Fprint(cmd.Root().Writer, table); err != nil {
		return err
	}
	return update(cmd.String("page"), page.JSON, table)
}

// jsonRows reads the raw rows of -from, or measures and writes them.
func jsonRows(ctx context.Context, cmd *cli.Command) ([]ratios.Row, error) {
	if from := cmd.String("from"); from != "" {
		f, err := os.Open(from)
		if err != nil {
			return nil, bad(err)
		}
		defer f.Close()
		rows, err := ratios.ReadCSV(f)
		return rows, bad(err)
	}
	if cmd.Int("rounds") < 1 {
		return nil, bad(fmt.Errorf("-rounds %d: at least one is needed", cmd.Int("rounds")))
	}
	if file := cmd.String("page"); file != "" {
		if err := page.Check(file, page.JSON); err != nil {
			return nil, bad(err)
		}
	}
	warnLoad(cmd.Root().ErrWriter)
	rows, err := jsonbench.Run(ctx, jsonbench.Plan{
		Rounds: cmd.Int("rounds"), Least: cmd.Duration("time"), Corpora: cmd.StringSlice("corpus"), Codecs: cmd.StringSlice("codec"),
		Live: cmd.Int("live"), LiveWith: []string{"twitter", "request"},
		Log: func(format string, args ...any) { fmt.Fprintf(cmd.Root().ErrWriter, format+"\n", args...) },
	})
	if err != nil {
		return nil, err
	}
	if name := cmd.String("go"); name != "" {
		others, err := rowsOfGo(ctx, cmd, name)
		if err != nil {
			fmt.Fprintf(cmd.Root().ErrWriter, "not measured with %s: %v\n", name, err)
		}
		rows = append(rows, others...)
	}
	if file := cmd.String("csv"); file != "" {
		f, err := os.Create(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := ratios.WriteCSV(f, rows); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// rowsOfGo has a program that another Go builds measure the standard library's codecs
// and ours.
func rowsOfGo(ctx context.Context, cmd *cli.Command, name string) ([]ratios.Row, error) {
	b, err := matrix.WithGo(ctx, name)
	if err != nil || b.Name == runtime.Version() {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, csv := filepath.Join(dir, "lab"), filepath.Join(dir, "rows.csv")
	if err := b.Compile(ctx, program, "lab", ""); err != nil {
		return nil, err
	}
	args := []string{"json", "-csv", csv, "-rounds", strconv.Itoa(cmd.Int("rounds")), "-time", cmd.Duration("time").String(), "-live", strconv.Itoa(cmd.Int("live"))}
	for _, codec := range jsonbench.OfStandard() {
		args = append(args, "-codec", codec)
	}
	for _, corpus := range cmd.StringSlice("corpus") {
		args = append(args, "-corpus", corpus)
	}
	child := exec.CommandContext(ctx, program, args...)
	child.Stderr = cmd.Root().ErrWriter
	if err := child.Run(); err != nil {
		return nil, err
	}
	f, err := os.Open(csv)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := ratios.ReadCSV(f)
	return jsonbench.OfGo(rows, b.Name), err
}
