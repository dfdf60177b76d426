// Command arena says of a program what an arena would be worth in it, threads one through it,
// and says what is still left for one where it has arenas.
//
//	arena advise -cpu cpu.pb.gz [-allocs allocs.pb.gz] [-requests N] ./...
//	arena advise -test ./...
//	arena convert -root pkg.Func ./...
//	arena report -allocs allocs.pb.gz ./...
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

var verbs = []*verb{adviseVerb, convertVerb, reportVerb}

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "arena:", err)
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
	usage(errs)
	return fmt.Errorf("no verb %q", args[0])
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "arena says what an arena is worth in a program.")
	for _, v := range verbs {
		fmt.Fprintf(w, "\n\tarena %s %s\n\t\t%s\n", v.name, v.usage, v.short)
	}
	fmt.Fprintln(w, "\narena VERB -h has the flags.")
}
