package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebbpool/arena/lab/advice"
	"github.com/ebbpool/arena/lab/load"
)

// conversions measures both forms of the programs in turn, and the plain form also with GOGC=400. It writes the results,
// and the number of lines that each conversion changed, to file in Go's benchmark format.
func conversions(file string, names []string, rounds int, length time.Duration) error {
	work, err := os.MkdirTemp("", "advice")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	subject := filepath.Join(work, "subject.exe")
	l := lab{subject: func(string) string { return subject }}
	if err := command("go", "build", "-o", subject, "./advice/subject"); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprint(f, load.Machine())
	for _, s := range advice.Subjects() {
		if !slices.Contains(names, s.Name) {
			continue
		}
		files := [2]string{"advice/" + s.Name + "_plain.go", "advice/" + s.Name + "_arena.go"}
		if s.Name == "handler" {
			files = [2]string{"load/handlers/plain.go", "load/handlers/arena.go"}
		}
		if n, err := changed(files[0], files[1]); err == nil { // programs without a conversion have no such file
			fmt.Fprintf(f, "BenchmarkConversion/program=%s 1 %d lines\n", s.Name, n)
		}
		if err := l.turns(f, s.Name, rounds, length); err != nil {
			return err
		}
	}
	return f.Close()
}

// turns measures the forms of a program in turn, and writes the results to w.
func (l *lab) turns(w io.Writer, name string, rounds int, length time.Duration) error {
	for range rounds {
		for _, live := range []string{"0", "1000000"} {
			for _, side := range [][2]string{{"plain", "100"}, {"arena", "100"}, {"plain", "400"}} {
				_, each, err := l.serve(name, side[0], side[1], length, "-live", live)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "BenchmarkConversion/program=%s/live=%s/form=%s/GOGC=%s 1 %.0f cpu-ns/op %.4g allocs/op\n", name, live, side[0], side[1], each, l.allocations)
			}
		}
	}
	return nil
}

// changed returns the number of lines of a converted file that are not in the plain one.
func changed(plain, converted string) (n int, err error) {
	a, err := os.ReadFile(plain)
	b, errB := os.ReadFile(converted)
	if err := errors.Join(err, errB); err != nil {
		return 0, err
	}
	had := map[string]int{"": 1 << 30}
	for line := range strings.Lines(string(a)) {
		had[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); had[line] > 0 {
			had[line]--
		} else if !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n, nil
}
