package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebbpool/arena/lab/advice/others"
	"github.com/ebbpool/arena/lab/load"
)

// ofOthers writes the same of modules that others wrote, all or these, as package others converts
// them: how many lines that takes, and what both forms take.
func ofOthers(file, names string, rounds int, length time.Duration) error {
	modules, err := others.Modules()
	if err != nil {
		return err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(f, "cpu: %s\n", load.Processor())
	for _, m := range modules {
		if names != "" && !slices.Contains(strings.Split(names, ","), m.Name) {
			continue
		}
		if err := ofOther(f, m, root, rounds, length); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return f.Close()
}

func ofOther(f *os.File, m others.Module, root string, rounds int, length time.Duration) error {
	work, err := os.MkdirTemp("", "others")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	c, err := m.Make(work, root)
	if err != nil {
		return err
	}
	n, err := c.Lines(changed)
	if err != nil {
		return err
	}
	if err := c.Test(); err != nil {
		return err
	}
	fmt.Fprintf(f, "BenchmarkConversion/program=%s 1 %d lines\n", m.Name, n)
	return (&lab{}).turns(f, m.Name, rounds, length, c.Program)
}
