package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/cppbench"
	"github.com/ebbpool/arena/lab/page"
)

func cppCommand() *cli.Command {
	return &cli.Command{
		Name:      "cpp",
		Usage:     "make the tables of the C++ half from what its benchmark has written",
		ArgsUsage: "CLAIMS.csv...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "counts", Usage: "instructions per call, of bench_callgrind.sh, in `FILE`"},
			&cli.StringFlag{Name: "page", Usage: "put the tables between the markers of `FILE`"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			claims, counts, err := cppTables(cmd.Args().Slice(), cmd.String("counts"))
			if err != nil {
				return bad(err)
			}
			fmt.Fprintf(cmd.Root().Writer, "%s\n%s", claims, counts)
			file := cmd.String("page")
			if file == "" {
				return nil
			}
			return errors.Join(page.Update(file, page.Bench, claims), page.Update(file, page.Instructions, counts))
		},
	}
}

// cppTables are the two tables of the C++ README.
func cppTables(claimFiles []string, countFile string) (claims, counts string, err error) {
	var all []cppbench.Claim
	for _, name := range claimFiles {
		f, err := os.Open(name)
		if err != nil {
			return "", "", err
		}
		part, err := cppbench.ReadClaims(f)
		f.Close()
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, part...)
	}
	if claims, err = cppbench.ClaimTable(all); err != nil {
		return "", "", err
	}
	if countFile == "" {
		return claims, "", nil
	}
	f, err := os.Open(countFile)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	c, err := cppbench.ReadCounts(f)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", countFile, err)
	}
	return claims, c.Markdown(), nil
}
