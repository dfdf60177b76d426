package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/advise"
	"github.com/ebbpool/arena/arenavet/internal/convert"
)

var adviseVerb = &verb{
	name: "advise", usage: "-cpu FILE [-allocs FILE] [-requests N] [-test] [-json] [-html FILE] [packages]",
	short: "predict from a program's profiles what an arena would be worth, and where",
	run:   runAdvise,
}

func runAdvise(v *verb, args []string, out io.Writer) error {
	f := v.flags()
	cpu := f.String("cpu", "", "a CPU `file` of the program under load, of at least 1,000 samples")
	allocs := f.String("allocs", "", "an allocation profile's `file`, of the same load")
	requests := f.Int("requests", 0, "how many requests the CPU profile covers")
	tests := f.Bool("test", false, "run the packages' tests, and measure what outlives each of them")
	asJSON := f.Bool("json", false, "print JSON")
	html := f.String("html", "", "write a page with a flame graph to `file`, too")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *requests < 0 {
		return fmt.Errorf("advise: negative -requests %d", *requests)
	}
	if *cpu == "" && !*tests {
		return errors.New("advise: missing -cpu or -test")
	}
	c := advise.Config{Dir: ".", CPU: *cpu, Allocs: *allocs, Requests: *requests, Patterns: packageArgs(f)}
	if *tests {
		report, err := advise.Test(c.Dir, c.Patterns)
		if err != nil {
			return err
		}
		if *cpu == "" {
			if *asJSON {
				return printJSON(out, report)
			}
			return report.Print(out)
		}
		c.Survivors = report.Survivors()
	}
	a, err := advise.Advise(c)
	if err != nil {
		return err
	}
	if a.Pays && a.Root != "" {
		a.Convert = convertFlags(a.Root, c.Patterns)
	}
	if *html != "" {
		page, err := os.Create(*html)
		if err != nil {
			return err
		}
		if err := errors.Join(a.HTML(page), page.Close()); err != nil {
			return err
		}
	}
	if *asJSON {
		return printJSON(out, a)
	}
	return a.Print(out)
}

// convertFlags are the flags that convert a function, ready to paste.
func convertFlags(root string, patterns []string) string {
	flags := "-root " + root
	s, err := convert.Suggest(convert.Config{Dir: ".", Patterns: patterns, Root: root, Strings: true})
	if err != nil || len(s.Own) == 0 {
		return "-suggest " + flags + " " + strings.Join(patterns, " ")
	}
	return flags + " -own '" + strings.Join(s.Own, ",") + "' -strings " + strings.Join(patterns, " ")
}
