package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// What lines belong to. Ships: what a program that uses the library is compiled or vetted
// with. Measures: what compares, loads and draws, with its tests. All else, above all the
// tests of what ships, the examples and the scripts, is neither. Generated code is nothing.
var (
	measures = regexp.MustCompile(`^(lab|internal/bench|cpp/bench|cpp/misuse|examples/load|adapters/[^/]+/(bench|others))/.*\.(go|cpp|hpp|sh|html|css|js|txt)$|cpp-bench\.sh$|(^|[/_])(bench|cost|speed)_test\.go$`)
	ships    = regexp.MustCompile(`^([^/]+\.go|(arena(json|http|pprof|var|reflect|vet)|fixedpool|internal|adapters)/.*\.go|cpp/include/.*)$`)
	neither  = regexp.MustCompile(`_test\.go$|\.pb\.go$|/testdata/|^internal/(suite|testkit|corpora)/|^adapters/.*/generate/`)
)

// mostWeight is how many lines may measure for one that ships.
const mostWeight = 0.40

func TestWeight(t *testing.T) {
	measured, shipped := map[string]int{}, map[string]int{}
	sum := func(lines map[string]int) (n int) {
		for _, k := range lines {
			n += k
		}
		return n
	}
	for _, name := range files(t) {
		folder, _, _ := strings.Cut(name, "/")
		count := func(lines map[string]int) {
			text, err := os.ReadFile("../" + name)
			if err == nil { // one that is deleted counts for nothing
				lines[folder] += bytes.Count(text, []byte("\n"))
			}
		}
		switch {
		case measures.MatchString(name):
			count(measured)
		case neither.MatchString(name):
		case ships.MatchString(name):
			count(shipped)
		}
	}
	weight := float64(sum(measured)) / float64(sum(shipped))
	t.Logf("%d lines measure, %d ship: %.2f\nmeasures: %v\nships: %v", sum(measured), sum(shipped), weight, measured, shipped)
	if weight > mostWeight {
		t.Errorf("%.2f lines measure for one that ships, %.2f is the most", weight, mostWeight)
	}
	if sum(shipped) < 20_000 || sum(measured) < 5_000 {
		t.Error("the patterns find too little")
	}
}

// files are those of the repository, as git has them.
func files(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", "..", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("SKIPPED: this is no clone: ", err)
	}
	return strings.Fields(string(out))
}
