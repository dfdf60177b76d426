package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/convert"
)

var convertVerb = &verb{
	name: "convert", usage: "-root func -own types [flags] [packages]",
	short: "write a twin of a function and of what it calls that takes an arena",
	run:   runConvert,
}

func runConvert(v *verb, args []string, out io.Writer) error {
	f := v.flags()
	c := convert.Config{Dir: "."}
	f.StringVar(&c.Root, "root", "", "root `function`, such as example.com/shop.Handle or Parser.Parse")
	suggest := f.Bool("suggest", false, "print the command for the root, and convert nothing")
	dry := f.Bool("n", false, "print the diff, and write nothing")
	for _, l := range []struct {
		name, usage string
		to          *[]string
	}{
		{"own", "comma-separated `types` whose values end with the arena", &c.Own},
		{"trust", "comma-separated `tokens` of warnings that are right: file.go:12, a function, a global, a type or a parameter", &c.Trust},
		{"heap", "comma-separated `functions` that keep using the heap", &c.Heap},
		{"carry", "comma-separated owned `types` that hold the arena in a field, for functions that are called as values", &c.Carry},
	} {
		f.Func(l.name, l.usage, func(s string) error {
			*l.to = append(*l.to, strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == ' ' })...)
			return nil
		})
	}
	f.BoolVar(&c.Strings, "strings", false, "also move strings and slices of plain values that do not outlive the root's call")
	f.BoolVar(&c.Generated, "generated", false, "also change generated files")
	f.BoolVar(&c.Untested, "untested", false, "also change code that no test runs")
	f.BoolVar(&c.Force, "force", false, "convert in spite of warnings")
	if err := f.Parse(args); err != nil {
		return err
	}
	c.Patterns = packageArgs(f)
	if c.Root == "" {
		return errors.New("convert: missing -root")
	}
	if *suggest {
		s, err := convert.Suggest(c)
		if err != nil {
			return err
		}
		return s.Print(out)
	}
	if len(c.Own) == 0 && !c.Strings {
		return errors.New("convert: missing -own; -suggest prints it")
	}
	r, err := convert.Convert(c)
	if err != nil {
		if r != nil {
			r.Print(out)
		}
		return err
	}
	if *dry {
		if err := r.Diff(out); err != nil {
			return err
		}
	} else if err := r.Write(); err != nil { // before anything is printed: the output may be closed early
		return err
	}
	if !*dry {
		fmt.Fprintf(out, "wrote %s:\n", convert.Count(len(r.Files), "file"))
	}
	return r.Print(out)
}
