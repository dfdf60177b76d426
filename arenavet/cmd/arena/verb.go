package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
)

// verb is one of the command's, as the go command has them.
type verb struct {
	name, usage, short string
	run                func(v *verb, args []string, out io.Writer) error
}

// flags are a verb's, with a usage text that has its first line.
func (v *verb) flags() *flag.FlagSet {
	f := flag.NewFlagSet("arena "+v.name, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "usage: arena %s %s\n\n%s.\n\n", v.name, v.usage, v.short)
		f.PrintDefaults()
	}
	return f
}

// packageArgs are the patterns of a command line.
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
