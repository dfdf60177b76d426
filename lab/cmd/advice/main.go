// Command advice measures conversions. For each program of package advice, and each module that package others
// converts, it runs the plain form and the form with an arena by turns. It runs in the lab's folder:
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
	names := flag.String("names", "", "only these programs, with commas")
	convert := flag.String("conversions", "", "write the times of package advice's programs, without and with live objects, to `file`")
	byHand := flag.String("others", "", "write the times of others' modules, converted by hand, to `file`")
	automatic := flag.String("automatic", "", "write the times of others' modules as arena convert converts them, beside the conversions by hand, to `file`")
	into := flag.String("into", "", "make the conversions of others' modules in `folder`, NAME/module, and measure nothing")
	rounds := flag.Int("rounds", 5, "how often each form is measured, by turns")
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
	subject     func(form string) string // the file of a program's form
	allocations float64                  // of a request of the last run
}

func command(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// serve runs one form of a program: how many requests it served, and the processor time of
// each in nanoseconds.
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
