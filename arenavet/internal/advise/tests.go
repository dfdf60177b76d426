package advise

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Tests is what the tests of some packages allocate in the packages' own functions, and what
// of it is still in use after a collection at the end of the test.
type Tests struct {
	Count int         `json:"tests"`
	Lines []*TestLine `json:"lines"`
}

// TestLine is a line that allocates.
type TestLine struct {
	Line
	Function string `json:"function"`
	Objects  int64  `json:"objects"`
	Live     int64  `json:"live"`
	Bytes    int64  `json:"bytes"`
	Test     string `json:"test,omitempty"` // one that the most outlive
	most     int64
}

// Percent is how many of a hundred objects outlive their test.
func (l *TestLine) Percent() float64 { return 100 * float64(l.Live) / float64(max(l.Objects, 1)) }

// At is where the line is.
func (l *TestLine) At() string { return fmt.Sprintf("%s/%s:%d", l.Package, l.File, l.Line.Line) }

// Test runs each test of the packages in a process of its own, with each allocation counted,
// and collects at its end. What a run of no test leaves is the packages' initialisation, and
// isn't counted.
func Test(dir string, patterns []string) (*Tests, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	own, err := LoadOwn(dir, patterns)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "arena-advise")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	t := &Tests{}
	lines := map[Line]*TestLine{}
	paths := make([]string, 0, len(own.packages))
	for path := range own.packages {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := t.runPackage(own, own.packages[path], work, lines); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if t.Count == 0 {
		return nil, fmt.Errorf("%s: no tests", strings.Join(patterns, " "))
	}
	for _, l := range lines {
		t.Lines = append(t.Lines, l)
	}
	slices.SortFunc(t.Lines, func(x, y *TestLine) int {
		return cmp.Or(cmp.Compare(y.Live, x.Live), cmp.Compare(y.Objects, x.Objects), cmp.Compare(x.At(), y.At()))
	})
	return t, nil
}

func (t *Tests) runPackage(own *Own, p Package, work string, lines map[Line]*TestLine) error {
	binary, out := filepath.Join(work, "test.exe"), filepath.Join(work, "mem")
	if err := os.RemoveAll(binary); err != nil {
		return err
	}
	if _, _, err := goCommand(own.Dir, "test", "-c", "-o", binary, p.ImportPath); err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil // no test files
	}
	list, err := runTest(p.Dir, binary, "-test.list=^(Test|Example)")
	if err != nil {
		return err
	}
	run := func(pattern string) (map[Line]*TestLine, error) {
		if _, err := runTest(p.Dir, binary, "-test.run="+pattern, "-test.memprofile="+out, "-test.memprofilerate=1"); err != nil {
			return nil, err
		}
		a, err := profile.ReadAllocs(out)
		if err != nil {
			return nil, err
		}
		return own.lines(a), nil
	}
	before, err := run("^$")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(list) {
		if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Example") {
			continue
		}
		after, err := run("^" + name + "$")
		if err != nil {
			return err
		}
		t.Count++
		for key, l := range after {
			live, objects, bytes := l.Live, l.Objects, l.Bytes
			if b := before[key]; b != nil {
				live, objects, bytes = max(live-b.Live, 0), max(objects-b.Objects, 0), max(bytes-b.Bytes, 0)
			}
			if objects == 0 {
				continue
			}
			sum := lines[key]
			if sum == nil {
				sum = &TestLine{Line: key, Function: l.Function}
				lines[key] = sum
			}
			sum.Objects += objects
			sum.Live += live
			sum.Bytes += bytes
			if live > sum.most {
				sum.most, sum.Test = live, name
			}
		}
	}
	return nil
}

// lines sums up a profile by the first own function of each stack. What test files allocate
// isn't the program's.
func (o *Own) lines(a *profile.Allocs) map[Line]*TestLine {
	all := map[Line]*TestLine{}
	for _, x := range a.Stacks {
		i := o.first(x.Frames)
		if i < 0 || strings.HasSuffix(x.Frames[i].File, "_test.go") {
			continue
		}
		f := x.Frames[i]
		p, _ := o.Of(f)
		key := Line{p.ImportPath, filepath.Base(f.File), f.Line}
		l := all[key]
		if l == nil {
			l = &TestLine{Line: key, Function: f.Function}
			all[key] = l
		}
		l.Objects += int64(x.Objects)
		l.Live += int64(x.LiveObjects)
		l.Bytes += int64(x.Bytes)
	}
	return all
}

// Survivors returns what part of each line's objects outlives its test.
func (t *Tests) Survivors() map[Line]float64 {
	all := map[Line]float64{}
	for _, l := range t.Lines {
		all[l.Line] = l.Percent() / 100
	}
	return all
}

// Verdict is the answer in one sentence.
func (t *Tests) Verdict() string {
	var objects, live, survivors int64
	for _, l := range t.Lines {
		objects += l.Objects
		live += l.Live
		if l.Live > 0 {
			survivors++
		}
	}
	return fmt.Sprintf("%.1f %% of %d objects die with their test (%d tests); %d of %d lines make some that outlive it",
		100*float64(objects-live)/float64(max(objects, 1)), objects, t.Count, survivors, len(t.Lines))
}

// Print writes the answer as text.
func (t *Tests) Print(w io.Writer) error { return texts.ExecuteTemplate(w, "tests", t) }
