package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
)

// verb is a subcommand.
type verb struct {
	name, usage, short string
	run                func(v *verb, args []string, out io.Writer) error
}

// flags returns a flag set whose usage text begins with the verb's usage line.
func (v *verb) flags() *flag.FlagSet {
	f := flag.NewFlagSet("arena "+v.name, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "usage: arena %s %s\n\n%s.\n\n", v.name, v.usage, v.short)
		f.PrintDefaults()
	}
	return f
}

// packageArgs returns the package patterns of a command line, or ".".
func packageArgs(f *flag.FlagSet) []string {
	if f.NArg() == 0 {
		return []string{"."}
	}
	return f.Args()
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
