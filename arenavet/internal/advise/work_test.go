package advise

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/arenavet/internal/convert"
)

// An arena saves a part of copying and of growing slices beside mallocgc, on lines that move and on no others.
func TestAdviseWork(t *testing.T) {
	for _, moved := range []bool{true, false} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(400, "shop.decode")
		c.cpu(40, "runtime.mallocgc runtime.growslice shop.append")
		c.cpu(100, "runtime.memmove runtime.growslice shop.append")
		c.cpu(40, "runtime.mallocgc runtime.concatstrings runtime.concatstring2 shop.text")
		c.cpu(100, "runtime.memmove runtime.concatstrings runtime.concatstring2 shop.text")
		c.cpu(10, "runtime.concatstrings runtime.concatstring2 shop.text")
		c.cpu(1000, "shop.find")
		lines := []string{"append", "text"}
		if !moved {
			lines = nil
		}
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: moves(t, lines...)})
		if err != nil {
			t.Fatal(err)
		}
		objects := 80 * 10e6 / nanosOfMalloc(defaultSize)
		want := 1690 / (1690 - 80 - savedGrow*100 - savedCopy*100 + objects*(nanosOfNew+defaultSize*nanosOfByte)/10e6)
		if !moved {
			want = 1
		}
		if math.Abs(v.Gain-want) > 0.001 {
			t.Errorf("moved %v: a gain of %.4f, want %.4f", moved, v.Gain, want)
		}
	}
}

// The scheduler's time is the collector's, and falls with it, if the program does not wait.
func TestAdviseScheduler(t *testing.T) {
	for waits, want := range map[int64]float64{0: 1000.0 / 600, 60: 1000.0 / 800} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(600-waits, "shop.find")
		c.cpu(waits, "runtime.chanrecv1 shop.find")
		c.cpu(200, collector)
		c.cpu(200, "runtime.findRunnable runtime.schedule runtime.park_m runtime.mcall")
		a := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
		a.add("shop.find", 1, 64, 0, 0)
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Allocs: a.file(), Patterns: []string{"."}, suggest: moves(t, "find", "keep", "keep strings.Clone", "append", "sum")})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v.Gain-want) > 0.001 {
			t.Errorf("%d samples wait: a gain of %.4f, want %.4f", waits, v.Gain, want)
		}
	}
}

// An inlined function literal of a library has the name of the package around it, but its own file. Its
// allocations are the library's.
func TestAdviseInlinedLibrary(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(500, mallocs+"shop.find.Keys[...].func1@/usr/lib/go/src/maps/iter.go shop.find")
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: moves(t, "find", "keep", "keep strings.Clone", "append", "sum")})
	if err != nil {
		t.Fatal(err)
	}
	if v.Pays || v.Sites[0].Called != "example.com/shop.find.Keys[...].func1" {
		t.Errorf("%s: %+v", v.Verdict(), v.Sites[0])
	}
}

// Frames of a goyacc parser name the grammar and goyacc's own parser, which are in no folder. Their
// allocations are the program's.
func TestAdviseGrammar(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(500, mallocs+"shop.(*yyParserImpl).Parse@yaccpar shop.yyParse@yaccpar shop.find")
	file, err := filepath.Abs(filepath.Join(shop, "yaccpar"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: func(convert.Config) (*convert.Suggestion, error) {
		return &convert.Suggestion{Places: []convert.Place{{File: file, Line: 1}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if s := v.Sites[0]; !v.Pays || s.Called != "" || filepath.Base(s.File) != "yaccpar" {
		t.Errorf("%s: %+v", v.Verdict(), s)
	}
}

// Large slices are mostly copied while they grow.
func TestAdviseLargeSlices(t *testing.T) {
	for size, part := range map[int64]float64{largeBytes - 1: savedGrow, largeBytes: savedLarge} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(600, "shop.find")
		c.cpu(100, "runtime.mallocgc runtime.growslice shop.append")
		c.cpu(300, "runtime.memmove runtime.growslice shop.append")
		a := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
		a.add("shop.append", 1000, 1000*size, 0, 0)
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Allocs: a.file(), Patterns: []string{"."}, suggest: moves(t, "find", "keep", "keep strings.Clone", "append", "sum")})
		if err != nil {
			t.Fatal(err)
		}
		left := 900 - part*300 + 1000*(nanosOfNew+float64(size)*nanosOfByte)/10e6
		if want := 1000 / left; math.Abs(v.Gain-want) > 0.001 {
			t.Errorf("%d bytes: a gain of %.4f, want %.4f", size, v.Gain, want)
		}
	}
}

// Values allocated while the collector marks count as in use, which is no long life. If few values of a site
// were sampled, the other values of its function decide.
func TestAdviseLives(t *testing.T) {
	for what, c := range map[string]struct {
		live, otherLive int64 // of 1,000,000 that are made in 10 s
		requests        int
		period          int64
		stays           bool
	}{
		"dies at once":                          {0, 0, 0, 1, false},
		"made while the collector marked":       {15_000, 0, 0, 1, false},
		"in use by chance":                      {10, 0, 0, 1, false},
		"lives a second":                        {100_000, 0, 0, 1, true},
		"lives a second, as requests do":        {100_000, 0, 50, 1, false},
		"too few, and its function's live long": {2, 100_000, 0, 1, true},
		"too few, and its function's die":       {2, 0, 0, 1, false},
		// 13 and 18 samples, near 31,000 in use, which is long
		"near what is long, and its function's live long": {26_000, 60_000, 0, 128 << 10, true},
		"near what is long, and its function's die":       {36_000, 8_000, 0, 128 << 10, false},
		"as near, and sampled often":                      {26_000, 60_000, 0, 64, false},
	} {
		p := newMaker(t, "samples", "cpu")
		p.cpu(500, "shop.find")
		p.cpu(500, mallocs+"shop.keep")
		a := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
		a.p.Period = c.period
		a.add("shop.keep", 1_000_000, 64_000_000, c.live, 64*c.live)
		a.add("strings.Clone shop.keep", 1_000_000, 64_000_000, c.otherLive, 64*c.otherLive)
		v, err := Advise(Config{Dir: shop, CPU: p.file(), Allocs: a.file(), Requests: c.requests, Patterns: []string{"."}, suggest: moves(t, "find", "keep", "keep strings.Clone", "append", "sum")})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range v.Sites {
			if s.Called == "" && s.Function != "" && s.Nanos > 0 && s.Moves == c.stays {
				t.Errorf("%s: moves %v, %s", what, s.Moves, s.Why)
			}
		}
	}
}

// If a slice has room for most appended elements, as a stack does, arena.Append costs more than append, and
// so do its write barriers while the collector marks. If each append grows the slice, it costs no more.
func TestAdviseStack(t *testing.T) {
	for _, c := range []struct{ self, barriers int64 }{{0, 0}, {6, 0}, {10, 30}, {60, 0}, {60, 90}, {160, 90}} {
		m := newMaker(t, "samples", "cpu")
		m.cpu(1000, "shop.find")
		m.cpu(40, "runtime.mallocgc runtime.growslice shop.sum")
		m.cpu(40, mallocs+"errors.New shop.fail") // half of the bytes stay
		if c.self > 0 {
			m.cpu(c.self, "shop.sum")
		}
		if c.barriers > 0 {
			m.cpu(c.barriers, "runtime.wbBufFlush gcWriteBarrier shop.sum")
		}
		v, err := Advise(Config{Dir: shop, CPU: m.file(), Patterns: []string{"."}, suggest: moves(t, "find", "keep", "keep strings.Clone", "append", "sum")})
		if err != nil {
			t.Fatal(err)
		}
		room := max(float64(c.self)-ofGrowing*40, 0)
		total, objects := float64(1080+c.self+c.barriers), 40*10e6/nanosOfMalloc(defaultSize)
		left := total - 40 + objects*(nanosOfNew+defaultSize*nanosOfByte)/10e6 + addedAppend*room - float64(c.barriers)/2
		if c.self > 0 {
			left += addedAppend * float64(c.barriers) * room / float64(c.self) / 2
		}
		if want := total / left; math.Abs(v.Gain-want) > 0.001 {
			t.Errorf("%+v: a gain of %.4f, want %.4f", c, v.Gain, want)
		}
		loses := slices.ContainsFunc(v.Functions, func(f Function) bool { return strings.HasSuffix(f.Name, ".sum") && f.Saved < 0 })
		if loses != (c.self >= 60) {
			t.Errorf("%+v: a function that loses is listed: %v", c, loses)
		}
	}
}

// A function that saves almost nothing is not listed, even if no other saves more.
func TestAdviseNothing(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(10000, "shop.find")
	c.cpu(1, "encoding/json.stateInString encoding/json.Unmarshal shop.decode")
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: moves(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Functions) != 0 {
		t.Errorf("functions: %v", v.Functions)
	}
}

// Functions that save the last twentieth together are not listed.
func TestAdviseSmall(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(600, "shop.find")
	c.cpu(500, mallocs+"shop.find")
	c.cpu(5, "runtime.mallocgc runtime.growslice shop.sum")
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: moves(t, "find", "keep", "keep strings.Clone", "append", "sum")})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Functions) != 1 || v.Functions[0].Name != "example.com/shop.find" {
		t.Errorf("functions: %v", v.Functions)
	}
}
