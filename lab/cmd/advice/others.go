package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebbpool/arena/lab/advice/others"
	"github.com/ebbpool/arena/lab/load"
)

// ofOthers measures the named modules of package others, or all of them, like conversions, and writes the results to file.
func ofOthers(file, names string, rounds int, length time.Duration) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprint(f, load.Machine())
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

// makeOthers writes the conversions to dir.
func makeOthers(dir, names string) error {
	return eachOther(dir, names, func(*others.Made) error { return nil })
}

// eachOther makes the conversions in subdirectories of dir, and calls then for each.
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
	return (&lab{subject: c.Program}).turns(f, c.Name, rounds, length)
}

// automatically converts the modules with "arena convert" and measures three forms in turn: plain, converted by hand, and
// converted automatically.
func automatically(file, names string, rounds int, length time.Duration) error {
	work, err := os.MkdirTemp("", "others")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	tool := filepath.Join(work, "arena.exe")
	if err := command("go", "-C", "../arenavet", "build", "-o", tool, "./cmd/arena"); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprint(f, load.Machine())
	err = eachOther(work, names, func(c *others.Made) error {
		if !c.Converts() {
			return nil
		}
		moved, sites, took, err := c.Convert(tool)
		if err != nil {
			return err
		}
		fmt.Fprintf(f, "BenchmarkAutomatic/program=%s 1 %d moved %d sites %.0f seconds\n", c.Name, moved, sites, took.Seconds())
		for range rounds {
			for _, form := range []string{"plain", "arena", "automatic"} {
				from := form
				if form == "automatic" && moved == 0 {
					from = "plain"
				}
				l := lab{subject: c.Program}
				_, each, err := l.serve(c.Name, from, "100", length)
				if err != nil {
					return err
				}
				fmt.Fprintf(f, "BenchmarkAutomatic/program=%s/form=%s 1 %.0f cpu-ns/op %.4g allocs/op\n", c.Name, form, each, l.allocations)
			}
		}
		return nil
	})
	return errors.Join(err, f.Close())
}
