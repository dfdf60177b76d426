package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/convert"
)

var convertVerb = &verb{
	name: "convert", usage: "-root pkg.Func [-into NAMES] [-dep MODULE] [-generated] [-escape] [-n] [packages]",
	short: "thread an arena through what a function calls, checked by the analyzer and the program's own tests",
	run:   runConvert,
}

func runConvert(v *verb, args []string, out io.Writer) error {
	f := v.flags()
	root := f.String("root", "", "the `function` whose caller is to own the arena: pkg.Func, pkg.Type.Method, or pkg.Func.func1 as profiles name a literal that is a handler")
	into := f.String("into", "", "`names` of its parameters, with commas between them, that end with the arena: what they lead to may lie there")
	dep := f.String("dep", "", "a `module` that the program depends on: convert a copy of it, and write arena.mod for the go command's -modfile")
	generated := f.Bool("generated", false, "convert generated files, too: the next run of their generator undoes it. With -dep that is so in any case")
	escape := f.Bool("escape", false, "store copies where a value would outlive the arena: what is in the one is changed without the other")
	dry := f.Bool("n", false, "print the table and the diff, and write nothing")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *root == "" {
		return errors.New("convert: -root is wanted: the function whose caller is to own the arena, as arena advise names it")
	}
	c := convert.Config{Dir: ".", Patterns: packageArgs(f), Root: *root, Generated: *generated, Escape: *escape}
	if *into != "" {
		c.Into = strings.Split(*into, ",")
	}
	if *dep != "" {
		return convertCopy(c, *dep, *dry, out)
	}
	return convertAndWrite(c, *dry, out)
}

func convertAndWrite(c convert.Config, dry bool, out io.Writer) error {
	r, err := convert.Convert(c)
	if r != nil {
		if err := r.Print(out); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if dry {
		return r.Diff(out)
	}
	return r.Write()
}

// convertCopy converts a copy of a module, which stays where that succeeds.
func convertCopy(c convert.Config, path string, dry bool, out io.Writer) error {
	d, err := convert.CopyOf(c.Dir, path)
	if err != nil {
		return err
	}
	c.Dir, c.Generated = d.Copy, true
	err = convertAndWrite(c, dry, out)
	if err == nil && !dry {
		if err = d.Use(); err == nil {
			_, err = fmt.Fprintf(out, "%s %s lies in %s: go build -modfile=arena.mod\n", path, d.Version, d.Copy)
			return err
		}
	}
	return errors.Join(err, d.Remove())
}
