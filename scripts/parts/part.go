package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
)

// counts are of tests and their subtests.
type counts struct{ passed, failed, skipped int }

func (c counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

func (c *counts) add(d counts) {
	c.passed += d.passed
	c.failed += d.failed
	c.skipped += d.skipped
}

// part is a target of the Makefile, and what has come of it.
type part struct {
	name string
	counts
	failures []string // tests
	missing  []string // what the machine lacks
	report   strings.Builder
	taken    bool // it was not run again
	took     time.Duration
	used     time.Duration // of processors, also by what was started
	log      *os.File
	last     []string // lines that are no test's
}

// event is a line of go test -json.
type event struct{ Action, Package, ImportPath, Test, Output, FailedBuild string }

var (
	// What ctest -V prints of a test of GoogleTest, and of one of its own.
	gtest = regexp.MustCompile(`^\d+: \[ +(OK|FAILED|SKIPPED) +\] (\S+)( \(\d+ ms\)|, where.*\(\d+ ms\))$`)
	ctest = regexp.MustCompile(`^ *\d+/\d+ Test +#\d+: (\S+) \.+ *(\*\*\*)?(\w+)`)
)

// gtests is the test of ctest's that is all of GoogleTest's, which are counted.
const gtests = "tests"

// read counts what p's command prints.
func (p *part) read(r io.Reader) {
	texts := map[string]string{} // what a test, or a package, has printed
	broken := map[string]bool{}  // packages with a test that failed
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		var e event
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
			id := strings.TrimSuffix(e.Package+e.ImportPath+" "+e.Test, " ")
			switch e.Action {
			case "output", "build-output":
				fmt.Fprint(p.log, e.Output)
				texts[id] += e.Output
			case "pass", "fail", "skip":
				broken[e.Package] = broken[e.Package] || e.Test != "" && e.Action == "fail"
				// A package fails by itself when TestMain does, say.
				if e.Test != "" || e.Action == "fail" && !broken[e.Package] && e.FailedBuild == "" {
					p.count(e.Action, id, texts[id])
				}
				delete(texts, id)
			case "build-fail":
				p.count("fail", id, texts[id])
			}
			continue
		}
		fmt.Fprint(p.log, line)
		line = strings.TrimRight(line, "\r\n")
		p.last = append(p.last, line)
		if m := gtest.FindStringSubmatch(line); m != nil {
			p.count(map[string]string{"OK": "pass", "FAILED": "fail", "SKIPPED": "skip"}[m[1]], m[2], "")
		} else if m := ctest.FindStringSubmatch(line); m != nil && m[1] != gtests {
			p.count(map[string]string{"Passed": "pass", "Skipped": "skip"}[m[3]], m[1], "")
		} else if strings.HasPrefix(line, "SKIPPED: ") {
			p.count("skip", "", line)
		}
	}
}

// count adds a test that has ended so: "pass", "skip", or else it failed.
func (p *part) count(action, test, text string) {
	if _, what, ok := strings.Cut(text, "SKIPPED: "); ok {
		what, _, _ = strings.Cut(what, "\n")
		p.missing = append(p.missing, strings.TrimSpace(what))
		if require {
			action, test = "fail", strings.TrimPrefix(test+": "+what, ": ")
		}
	}
	switch action {
	case "pass":
		p.passed++
	case "skip":
		p.skipped++
	default:
		p.failed++
		p.failures = append(p.failures, test)
		if text == "" {
			text = p.tail()
		}
		fmt.Fprintf(&p.report, "--- %s: %s\n%s\n", p.name, test, strings.TrimRight(text, "\n"))
	}
}

// tail is the end of what was printed by others than Go's tests.
func (p *part) tail() string {
	return strings.Join(p.last[max(0, len(p.last)-40):], "\n") + "\n"
}
