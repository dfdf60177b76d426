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

	"github.com/ebbpool/arena/lab/corpora"
	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/rounds"
	"github.com/ebbpool/arena/lab/subjects"
)

// anchors returns the programs that read the corpora with C++ libraries, for benchtime each. It reports and
// omits those for which this machine has no compiler or library.
func anchors(ctx context.Context, dir, benchtime string, report io.Writer) (all []rounds.Program, err error) {
	least, _ := time.ParseDuration(benchtime) // fails for counts like 1x, which leaves 0
	args := []string{strconv.Itoa(int(least.Milliseconds()))}
	for _, c := range corpora.All {
		text, err := c.Read()
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
		program := rounds.Program{Path: filepath.Join(dir, library), Args: args}
		if out, err := compile(ctx, program.Path, define, "jsonbench/anchor/anchor.cpp", "-l"+library); err != nil {
			fmt.Fprintf(report, "skipped %s, which the package lib%[1]s-dev has, or the folders in CPATH and LIBRARY_PATH: %v\n%.300s\n", library, err, out)
			continue
		}
		all = append(all, program)
	}
	return all, nil
}

// compile compiles a C++ program.
func compile(ctx context.Context, program string, args ...string) (said []byte, _ error) {
	return exec.CommandContext(ctx, "c++", append([]string{"-O3", "-DNDEBUG", "-std=c++17", "-o", program}, args...)...).CombinedOutput()
}

// binaryTrees returns the programs that build trees of 20 levels: ours, and one in C++ if this machine has a
// compiler.
func binaryTrees(ctx context.Context, dir string, report io.Writer) ([]rounds.Program, error) {
	all, err := matrix.Programs(ctx, dir, matrix.Options{Full: true, Workloads: []string{"trees"}, Subjects: []string{subjects.Region}, Benchtime: "1x"})
	if err != nil {
		return nil, err
	}
	program := rounds.Program{Path: filepath.Join(dir, "trees"), Args: []string{"20"}}
	if out, err := compile(ctx, program.Path, "workloads/pmr/trees.cpp"); err != nil {
		fmt.Fprintf(report, "skipped std::pmr, without a compiler of C++17: %v\n%.300s\n", err, out)
		return all, nil
	}
	return append(all, program), nil
}
