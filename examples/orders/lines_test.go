package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the count of lines into README.md")

// A reader is told how much changes. This counts it: lines of the two services that differ,
// as diff(1) would show them, and those of main.go that are about the pool or choose the
// service, of all lines that the plain service has, tests and tools left out.
func TestLinesThatDiffer(t *testing.T) {
	changed, plain, shared := 0, 0, 0
	arenas, err := filepath.Glob("arena/*.go")
	if err != nil {
		t.Fatal(err)
	}
	plains, err := filepath.Glob("plain/*.go")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names(arenas), names(plains)) {
		t.Fatalf("the services have not the same files: %v, %v", arenas, plains)
	}
	for i := range plains {
		p, a := lines(t, plains[i]), lines(t, arenas[i])
		changed += differ(p, a)
		plain += len(p)
	}
	about := regexp.MustCompile(`\bpool\b|arenaorders|ebbpool/arena"`)
	for _, line := range lines(t, "main.go") {
		if about.MatchString(line) {
			changed++
		}
	}
	for _, pattern := range []string{"main.go", "order/*.go", "store/*.go", "web/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") {
				shared += len(lines(t, f))
			}
		}
	}
	whole := plain + shared
	t.Logf("%d of %d lines, %.1f %%", changed, whole, 100*float64(changed)/float64(whole))
	if 10*changed > whole {
		t.Errorf("%d of %d lines differ: more than 10 %%", changed, whole)
	}
	want := fmt.Sprintf("%d lines of %d are other ones, %.1f %%", changed, whole, 100*float64(changed)/float64(whole))
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		says := regexp.MustCompile(`\d+ lines of \d+ are other ones, [\d.]+ %`)
		readme = says.ReplaceAll(readme, []byte(want))
		if err := os.WriteFile("README.md", readme, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q: go test -run Lines . -update", want)
	}
}

func names(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, filepath.Base(p))
	}
	return out
}

func lines(t *testing.T, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// differ counts the lines that a diff of the two would show, one in place of another
// once: in each gap between lines that both have, the longer side. Most common lines
// are found by dynamic programming, as in Hunt and McIlroy, An Algorithm for
// Differential File Comparison (1976).
func differ(a, b []string) int {
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	n, i, j := 0, 0, 0
	for i < len(a) || j < len(b) {
		oldI, oldJ := i, j
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		n += max(i-oldI, j-oldJ)
		for i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
		}
	}
	return n
}

// Lines that differ are counted as one would by hand.
func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "axc", 1}, {"abc", "ac", 1}, {"ac", "abc", 1}, {"abc", "xyz", 3}, {"abcd", "bcde", 2}, {"aXXc", "aYc", 2}} {
		if got := differ(strings.Split(c.a, ""), strings.Split(c.b, "")); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
