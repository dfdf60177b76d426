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
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(f, "cpu: %s\n", load.Processor())
	work, err := os.MkdirTemp("", "others")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := eachOther(work, names, func(c *others.Made) error { return ofOther(f, c, rounds, length) }); err != nil {
		return err
	}
	return f.Close()
}

// makeOthers makes them and keeps them.
func makeOthers(dir, names string) error {
	return eachOther(dir, names, func(*others.Made) error { return nil })
}

// eachOther makes the conversions in folders of dir, one after another.
func eachOther(dir, names string, then func(*others.Made) error) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	modules, err := others.Modules()
	if err != nil {
		return err
	}
	for _, m := range modules {
		if names != "" && !slices.Contains(strings.Split(names, ","), m.Name) {
			continue
		}
		work := filepath.Join(dir, m.Name)
		if err := os.MkdirAll(work, 0o755); err != nil {
			return err
		}
		c, err := m.Make(work, root)
		if err == nil {
			err = then(c)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

func ofOther(f *os.File, c *others.Made, rounds int, length time.Duration) error {
	n, err := c.Lines(changed)
	if err != nil {
		return err
	}
	if err := c.Test(); err != nil {
		return err
	}
	fmt.Fprintf(f, "BenchmarkConversion/program=%s 1 %d lines\n", c.Name, n)
	return (&lab{}).turns(f, c.Name, rounds, length, c.Program)
}
