// Command arena predicts what an arena is worth in a program, converts a program to one, and lists what is still
// allocated from the heap.
//
//	arena advise -cpu cpu.pb.gz [-allocs allocs.pb.gz] [-requests N] ./...
//	arena convert -suggest -root pkg.Func ./...
//	arena convert -root pkg.Func -own types ./...
//	arena report -allocs allocs.pb.gz ./...
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

var verbs = []*verb{adviseVerb, convertVerb, reportVerb}

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		text := err.Error()
		if !strings.HasPrefix(text, "arena") {
			text = "arena: " + text
		}
		fmt.Fprintln(os.Stderr, text)
		os.Exit(1)
	}
}

func run(args []string, out, errs io.Writer) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		usage(errs)
		return flag.ErrHelp
	}
	for _, v := range verbs {
		if v.name == args[0] {
			return v.run(v, args[1:], out)
		}
	}
	//lint:ignore ST1005 as cmd/go words it
	return fmt.Errorf("arena %s: unknown command\nRun 'arena help' for usage.", args[0])
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Arena finds what an arena is worth in a program, and converts it.\n\nusage: arena command [flags] [packages]\n\nThe commands are:\n\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "\t%-8s %s\n", v.name, v.short)
	}
	fmt.Fprint(w, "\nRun 'arena command -h' for the flags of a command.\n")
}
