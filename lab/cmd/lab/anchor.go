package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ebbpool/arena/internal/corpora"
	"github.com/ebbpool/arena/lab/rounds"
)

// anchors are the programs that read the corpora by libraries of C++, for so long each. What
// this machine has no compiler or library for is said, and left out.
func anchors(ctx context.Context, dir, benchtime string, report io.Writer) (all []rounds.Program, err error) {
	least, _ := time.ParseDuration(benchtime) // not of 1x
	args := []string{strconv.Itoa(int(least.Milliseconds()))}
	for _, c := range corpora.All {
		text, err := c.Read(func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) })
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, c.Name+".json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		args = append(args, c.Name+"="+file)
	}
	for library, define := range map[string]string{"simdjson": "-DUSE_SIMDJSON", "yyjson": "-DUSE_YYJSON"} {
		program := filepath.Join(dir, library)
		out, err := exec.CommandContext(ctx, "c++", "-O3", "-DNDEBUG", "-std=c++17", define, "-o", program, "jsonbench/anchor/anchor.cpp", "-l"+library).CombinedOutput()
		if err != nil {
			fmt.Fprintf(report, "skipped %s, which the package lib%[1]s-dev has, or the folders in CPATH and LIBRARY_PATH: %v\n%.300s\n", library, err, out)
			continue
		}
		all = append(all, rounds.Program{Path: program, Args: args})
	}
	return all, nil
}
