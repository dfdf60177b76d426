package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/ebbpool/arena/arenavet/internal/advise"
)

var adviseVerb = &verb{
	name: "advise", usage: "-cpu file [-allocs file] [-root func] [-requests n] [-json] [packages]",
	short: "predict from a program's profiles what an arena would save, and where",
	run:   runAdvise,
}

func runAdvise(v *verb, args []string, out io.Writer) error {
	f := v.flags()
	c := advise.Config{Dir: "."}
	f.StringVar(&c.CPU, "cpu", "", "CPU profile's `file`, of the program under load, with at least 1,000 samples")
	f.StringVar(&c.Allocs, "allocs", "", "allocation profile's `file`, of the same load")
	f.StringVar(&c.Root, "root", "", "root `function`, whose call the arena ends with (default: found in the profile)")
	f.IntVar(&c.Requests, "requests", 0, "`number` of requests in the CPU profile")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return err
	}
	if c.Requests < 0 {
		return fmt.Errorf("advise: negative -requests %d", c.Requests)
	}
	if c.CPU == "" {
		return errors.New("advise: missing -cpu")
	}
	c.Patterns = packageArgs(f)
	a, err := advise.Advise(c)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(out, a)
	}
	return a.Print(out)
}
