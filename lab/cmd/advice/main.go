// Command advice measures conversions. For each program of package advice, and each module that package others
// converts, it runs the plain form and the form with an arena in turn. Run it in the folder lab:
//
//	go run ./cmd/advice -conversions results/conversions.txt -names sales,dns
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	names := flag.String("names", "", "measure only these programs, separated by commas")
	convert := flag.String("conversions", "", "measure the programs of package advice, without and with live objects, and write the results to `file`")
	byHand := flag.String("others", "", "measure the modules of package others, and write the results to `file`")
	automatic := flag.String("automatic", "", "compare arena convert with the conversions of package others, and write the results to `file`")
	into := flag.String("into", "", "write the conversions of package others to `dir`, and measure nothing")
	rounds := flag.Int("rounds", 5, "rounds of each form")
	length := flag.Duration("for", time.Second, "processor time of one measurement")
	flag.Parse()
	err := errors.New("missing -conversions, -others, -automatic or -into")
	switch {
	case *convert != "":
		err = conversions(*convert, strings.Split(*names, ","), *rounds, *length)
	case *automatic != "":
		err = automatically(*automatic, *names, *rounds, *length)
	case *into != "":
		err = makeOthers(*into, *names)
	case *byHand != "":
		err = ofOthers(*byHand, *names, *rounds, *length)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "advice:", err)
		os.Exit(1)
	}
}

type lab struct {
	subject     func(form string) string // returns the path of a form's program
	allocations float64                  // per request, in the last run
}

func command(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// serve runs one form of a program. It returns the number of requests served, and the processor time of each in
// nanoseconds.
func (l *lab) serve(name, form, gogc string, length time.Duration, args ...string) (requests, each float64, err error) {
	cmd := exec.Command(l.subject(form), append([]string{"-name", name, "-form", form, "-for", length.String()}, args...)...)
	cmd.Env = append(os.Environ(), "GOGC="+gogc)
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s, %s: %w", name, form, err)
	}
	var took float64
	if _, err := fmt.Sscan(string(out), &requests, &took, &l.allocations); err != nil {
		return 0, 0, err
	}
	l.allocations /= requests
	return requests, took / requests, nil
}
