package advise

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/ebbpool/arena/arenavet/internal/convert"
	"github.com/ebbpool/arena/arenavet/internal/profile"
)

const shop = "testdata/shop"

// lineOf returns the line of shop.go that ends with a comment.
func lineOf(t *testing.T, comment string) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shop, "shop.go"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// line "+comment) {
			return int64(i + 1)
		}
	}
	t.Fatalf("no line %q", comment)
	return 0
}

// maker makes profiles of stacks, from the leaf. "shop.NAME" is that function, at the line with this comment,
// and "shop.NAME@FILE" is one of another file.
type maker struct {
	t         *testing.T
	p         *pprof.Profile
	functions map[string]*pprof.Location
}

func newMaker(t *testing.T, types ...string) *maker {
	m := &maker{t, &pprof.Profile{PeriodType: &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1, DurationNanos: 10e9}, map[string]*pprof.Location{}}
	for _, typ := range types {
		m.p.SampleType = append(m.p.SampleType, &pprof.ValueType{Type: typ, Unit: "count"})
	}
	return m
}

// Stacks of the packages end with shop.Serve, unless they end with "-".
func (m *maker) add(stack string, values ...int64) {
	s := &pprof.Sample{Value: values}
	if short, ok := strings.CutSuffix(stack, " -"); ok {
		stack = short
	} else if strings.Contains(stack, "shop.") {
		stack += " shop.Serve"
	}
	for _, name := range strings.Fields(stack) {
		l := m.functions[name]
		if l == nil {
			f := &pprof.Function{ID: uint64(len(m.functions) + 1), Name: name, Filename: "/src/x/x.go"}
			line := int64(1)
			if function, file, ok := strings.Cut(name, "@"); ok {
				f.Name, f.Filename = "example.com/"+function, file
			} else if short, ok := strings.CutPrefix(name, "shop."); ok {
				f.Name = "example.com/shop." + strings.TrimRight(short, "0123456789")
				f.Filename = "/elsewhere/shop/shop.go"
				line = lineOf(m.t, short)
			}
			l = &pprof.Location{ID: f.ID, Line: []pprof.Line{{Function: f, Line: line}}}
			m.p.Function = append(m.p.Function, f)
			m.p.Location = append(m.p.Location, l)
			m.functions[name] = l
		}
		s.Location = append(s.Location, l)
	}
	m.p.Sample = append(m.p.Sample, s)
}

func (m *maker) file() string {
	m.t.Helper()
	path := filepath.Join(m.t.TempDir(), "profile")
	f, err := os.Create(path)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if err := m.p.Write(f); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// cpu adds n samples of ten milliseconds.
func (m *maker) cpu(n int64, stack string) { m.add(stack, n, n*10_000_000) }

const (
	mallocs   = "runtime.mallocgc runtime.newobject "
	collector = "runtime.gcDrain runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker"
)

// moves stands for the analysis of package convert: allocations move on these lines, or in the functions of libraries
// that they call. On others the reason is "of this line".
func moves(t *testing.T, lines ...string) func(convert.Config) (*convert.Suggestion, error) {
	return func(c convert.Config) (*convert.Suggestion, error) {
		s := &convert.Suggestion{Root: c.Root, Patterns: c.Patterns, Own: []string{"item"}}
		dir, err := filepath.Abs(shop)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, "shop.go")
		for _, name := range []string{"later", "literal", "sum", "append"} {
			s.Places = append(s.Places, convert.Place{File: file, Line: int(lineOf(t, name)), Why: "of this line"})
		}
		for _, name := range lines {
			line, called, _ := strings.Cut(name, " ")
			s.Places = append(s.Places, convert.Place{File: file, Line: int(lineOf(t, line)), Called: called})
		}
		return s, nil
	}
}

// TestAdvise has a profile with each kind of site. The expected gain is computed by hand.
func TestAdvise(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(400, "shop.find")
	c.cpu(300, mallocs+"shop.find")
	c.cpu(40, mallocs+"shop.later")
	c.cpu(30, mallocs+"shop.literal")
	c.cpu(20, mallocs+"fmt.Sprintf shop.text")
	c.cpu(10, mallocs+"errors.New shop.fail")
	c.cpu(50, mallocs+"shop.keep")
	c.cpu(10, mallocs+"shop.find -")
	c.cpu(30, collector)
	c.cpu(70, "gcWriteBarrier shop.find")
	c.cpu(40, "runtime.zebra shop.find")

	a := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
	a.p.Period = 1
	a.p.DurationNanos *= 2 // so that half of it is the CPU profile's
	const many = 100_000_000
	a.add("shop.find", 2*many, 2*64*many, 100, 6400)
	a.add("fmt.Sprintf shop.text", 2*many/10, 2*many, 0, 0)
	a.add("shop.keep", 2*many/10, 2*many*2, many/100, many/5)
	a.add("shop.later", 2*many/10, 2*many*2, 0, 0)

	v, err := Advise(Config{Dir: shop, CPU: c.file(), Allocs: a.file(), Requests: 10_000_000, Patterns: []string{"./..."}, suggest: moves(t, "find", "keep", "text fmt.Sprintf")})
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, s := range v.Sites {
		why[fmt.Sprint(short(s.Function), " ", s.Called, s.key.under)] = s.Why
	}
	for site, want := range map[string]string{
		"shop.find true":            "",
		"shop.find false":           "not in a call of shop.Serve",
		"shop.later true":           "of this line",
		"shop.literal true":         "of this line",
		"shop.text fmt.Sprintftrue": "",
		"shop.fail errors.Newtrue":  "in errors.New",
		"shop.keep true":            "lives 1s",
	} {
		if got, ok := why[site]; !ok || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", site, got, want)
		}
	}
	const sample = 10e6
	program, malloc, gc := 440*sample, 140*sample, 100*sample
	bytes := 64.0*many + many + 4*many
	after := program + malloc + 1.1*many*nanosOfNew + 65*many*nanosOfByte + gc*4*many/bytes + 10_000_000*nanosOfCycle
	if want := 1000 * sample / after; math.Abs(v.Gain-want) > 0.001 {
		t.Errorf("a gain of %.4f, want %.4f", v.Gain, want)
	}
	if !v.Pays || v.Low > v.Gain || v.High < v.Gain || v.Low < 1.1 {
		t.Errorf("%v, %.2f (%.2f to %.2f)", v.Pays, v.Gain, v.Low, v.High)
	}
	if len(v.Unknown) != 1 || v.Unknown[0].Name != "zebra" || !strings.Contains(v.Warning(), "zebra (4.0 %)") {
		t.Errorf("unknown: %v", v.Warning())
	}
	if len(v.Functions) == 0 || v.Functions[0].Name != "example.com/shop.find" {
		t.Errorf("functions: %v", v.Functions)
	}
	var text strings.Builder
	if err := v.Print(&text); err != nil || !strings.HasPrefix(text.String(), "WARNING: ") || !strings.Contains(text.String(), "\nyes: ") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// A program that spends nearly all of its time in its own functions gets a no, and alternatives.
func TestAdviseNo(t *testing.T) {
	for want, add := range map[string]func(*maker){
		"the program's own functions": func(c *maker) { c.cpu(50, mallocs+"shop.find") },
		"GOGC=400":                    func(c *maker) { c.cpu(300, collector); c.cpu(100, mallocs+"shop.literal") },
		"allocate less":               func(c *maker) { c.cpu(300, mallocs+"shop.literal") },
	} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(1000, "shop.find")
		add(c)
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"./..."}, suggest: moves(t, "find", "text fmt.Sprintf")})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(v.Instead(), "\n"); v.Pays || !strings.HasPrefix(v.Verdict(), "no: ") || !strings.Contains(text, want) {
			t.Errorf("%s\n%s\nwant %s", v.Verdict(), text, want)
		}
	}
}

// The time of a codec is divided by arenajson's speed-up, including the collector's part of the codec's
// stacks.
func TestAdviseJSON(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(300, "encoding/json.stateInString encoding/json.Unmarshal shop.decode")
	c.cpu(100, mallocs+"encoding/json.Unmarshal shop.decode")
	c.cpu(100, "gcWriteBarrier encoding/json.Unmarshal shop.decode")
	c.cpu(100, mallocs+"errors.New shop.fail") // so that a collector is left
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: moves(t, "find", "text fmt.Sprintf")})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1100 / (600 + 500/codecs(v.GoVersion)["encoding/json.Unmarshal"]); math.Abs(v.Gain-want) > 0.001 {
		t.Errorf("a gain of %.4f, want %.4f", v.Gain, want)
	}
	if v.JSON <= 1 || v.JSON >= v.Gain {
		t.Errorf("arenajson alone: %.2f, with an arena %.2f", v.JSON, v.Gain)
	}
}

func TestAdviseRefuses(t *testing.T) {
	few := newMaker(t, "samples", "cpu")
	few.cpu(999, "shop.find")
	enough := newMaker(t, "samples", "cpu")
	enough.cpu(1000, "shop.find")
	heap := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
	heap.add("shop.find", 1, 1, 1, 1)
	for want, c := range map[string]Config{
		"999 samples, and 1000 are needed": {CPU: few.file(), Patterns: []string{"."}},
		"no CPU profile":                   {CPU: heap.file(), Patterns: []string{"."}},
		"no allocation profile":            {CPU: enough.file(), Allocs: enough.file(), Patterns: []string{"."}},
		"no packages":                      {CPU: enough.file(), Patterns: []string{"./nowhere"}},
		"no such file":                     {CPU: "nowhere", Patterns: []string{"."}},
	} {
		c.Dir = shop
		if _, err := Advise(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The sites that count are those that "arena convert" moves: asked for real, it moves the item and its lower-case name
// but not an item that a variable of the package keeps.
func TestAdviseAsksConvert(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a package")
	}
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(300, mallocs+"shop.find")
	c.cpu(100, mallocs+"strings.ToLower shop.lower")
	c.cpu(100, mallocs+"fmt.Sprintf shop.text")
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	moved := map[string]bool{}
	for _, s := range v.Sites {
		if s.Nanos > 0 {
			moved[s.Function+" "+s.Called] = s.Moves
		}
	}
	if !moved["example.com/shop.find "] || !moved["example.com/shop.lower strings.ToLower"] || moved["example.com/shop.text fmt.Sprintf"] {
		t.Errorf("moved: %v", moved)
	}
	if want := "-root example.com/shop.Serve -own 'item' -strings ."; v.Convert != want {
		t.Errorf("Convert = %q, want %q", v.Convert, want)
	}
}

// A root is the innermost exported function that reaches nearly all allocations, and not main or a test.
func TestFindRoot(t *testing.T) {
	for want, stacks := range map[string][]string{
		"example.com/shop.Serve": {"shop.find", "shop.text shop.decode"},
		"example.com/shop.find":  {"shop.text shop.find -", "shop.keep shop.find shop.literal -"},
		"example.com/shop.text":  {"shop.text shop.main@/src/shop/shop.go -"},
		"":                       {"shop.TestFind@/src/shop/shop.go -", "shop.main@/src/shop/shop.go -"},
	} {
		c := newMaker(t, "samples", "cpu")
		for _, s := range stacks {
			c.cpu(1000, mallocs+s)
		}
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: moves(t)})
		if err != nil {
			t.Fatal(err)
		}
		if v.Root != want {
			t.Errorf("%q: root %q, want %q", stacks, v.Root, want)
		}
	}
}

// The flags of a method have no parentheses, which a shell would read.
func TestFlagsOfMethods(t *testing.T) {
	s := &convert.Suggestion{Root: "example.com/shop.(*Parser).Parse", Own: []string{"Node", "Parser"}, Patterns: []string{"./..."}}
	if got, want := s.Flags(), "-root example.com/shop.Parser.Parse -own 'Node,Parser' -strings ./..."; got != want {
		t.Errorf("Flags() = %q, want %q", got, want)
	}
}

// A root is named by its package's path or name, with or without parentheses, and includes its function literals.
func TestIsRoot(t *testing.T) {
	for _, c := range []struct {
		root, function string
		want           bool
	}{
		{"example.com/shop.find", "example.com/shop.find", true},
		{"shop.find", "example.com/shop.find", true},
		{"find", "example.com/shop.find", true},
		{"find", "example.com/shop.find.func1", true},
		{"Parser.Parse", "example.com/shop.(*Parser).Parse", true},
		{"shop.(*Parser).Parse", "example.com/shop.(*Parser).Parse", true},
		{"Parse", "example.com/shop.(*Parser).Parse", false},
		{"find", "example.com/shop.refind", false},
		{"shop.find", "example.com/bookshop.find", false},
		{"", "example.com/shop.find", false},
	} {
		a := &adviser{Config: Config{Root: c.root}}
		if got := a.isRoot(profile.Frame{Function: c.function}); got != c.want {
			t.Errorf("root %q: isRoot(%s) = %v, want %v", c.root, c.function, got, c.want)
		}
	}
}

// If convert refuses, nothing moves, and the advice says why.
func TestAdviseRefusedByConvert(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(1000, mallocs+"shop.find")
	refuse := func(convert.Config) (*convert.Suggestion, error) { return nil, errors.New("convert: too generic") }
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: refuse})
	if err != nil {
		t.Fatal(err)
	}
	if v.Pays || v.Convert != "" || len(v.Notes) == 0 || v.Notes[len(v.Notes)-1] != "arena convert cannot convert example.com/shop.Serve: too generic" || v.Heap[0].Why != "too generic" {
		t.Errorf("%s, %q: %v", v.Verdict(), v.Convert, v.Notes)
	}
}

// Many warnings make a yes a perhaps, whose range begins with no saving.
func TestAdviseManyWarnings(t *testing.T) {
	for n, want := range map[int]string{manyWarnings: "yes: ", manyWarnings + 1: "perhaps: 0.93 to "} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(500, "shop.find")
		c.cpu(500, mallocs+"shop.find")
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, suggest: func(c convert.Config) (*convert.Suggestion, error) {
			s, err := moves(t, "find")(c)
			s.Warnings = make([]convert.Warning, n)
			return s, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(v.Verdict(), want) || !strings.Contains(strings.Join(v.Notes, "\n"), fmt.Sprintf("asks about %d places", n)) {
			t.Errorf("%d warnings: %s, %q", n, v.Verdict(), v.Notes)
		}
	}
}

// The range allows for a third of the saving or of the rest, and for 7 % of the time.
func TestRange(t *testing.T) {
	for _, c := range []struct{ after, low, high float64 }{
		{100, 100.0 / 107, 100.0 / 93},
		{90, 100.0 / 97, 100.0 / 83},
		{40, 100 / (40 + 0.33*40), 100 / (40 - 0.33*40)},
		{70, 100 / (70 + 0.33*30), 100 / (70 - 0.33*30)},
		{120, 100.0 / 127, 100.0 / 113},
	} {
		if low, high := rangeOf(100, c.after); math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 {
			t.Errorf("rangeOf(100, %v) = %v, %v, want %v, %v", c.after, low, high, c.low, c.high)
		}
	}
}

// A profile without a function of the packages is another program's, and two build IDs are two binaries.
func TestAdviseRefusesProfilesOfOtherPrograms(t *testing.T) {
	profiles := func(cpuStack, allocStack, cpuID, allocID string) Config {
		c := newMaker(t, "samples", "cpu")
		c.cpu(1000, cpuStack)
		a := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
		a.add(allocStack, 1000, 64000, 0, 0)
		for m, id := range map[*maker]string{c: cpuID, a: allocID} {
			m.p.Mapping = []*pprof.Mapping{{ID: 1, BuildID: id}}
		}
		return Config{Dir: shop, CPU: c.file(), Allocs: a.file(), Patterns: []string{"./..."}, suggest: moves(t, "find")}
	}
	for _, c := range []struct {
		config Config
		want   string
	}{
		{profiles("other.run", "shop.find", "", ""), "profile of another program"},
		{profiles("shop.find", "other.run", "", ""), "profile of another program"},
		{profiles("shop.find", "shop.find", "abc", "def"), "profiles of two binaries, with build IDs abc and def"},
		{profiles("shop.find", "shop.find", "abc", "abc"), ""},
		{profiles("shop.find", "shop.find", "abc", ""), ""},
	} {
		_, err := Advise(c.config)
		if got := ""; err != nil {
			got = err.Error()
			if c.want == "" || !strings.Contains(got, c.want) {
				t.Errorf("Advise = %q, want %q", got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("Advise = nil, want %q", c.want)
		}
	}
}

// What memory and the codec save, and the rest, add up; and so do the functions to what is saved.
func TestAdvisePartsAddUp(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(300, mallocs+"shop.find")
	c.cpu(100, mallocs+"fmt.Sprintf shop.text")
	c.cpu(200, "encoding/json.stateInString encoding/json.Unmarshal shop.decode")
	c.cpu(100, collector)
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"./..."}, suggest: moves(t, "find", "text fmt.Sprintf")})
	if err != nil {
		t.Fatal(err)
	}
	if sum := v.SavedCodec + v.SavedMemory + v.Rest; math.Abs(sum-1) > 1e-9 || math.Abs(1/v.Gain-v.Rest) > 1e-9 {
		t.Errorf("codec %v, memory %v, rest %v, gain %v", v.SavedCodec, v.SavedMemory, v.Rest, v.Gain)
	}
	if want := 200.0 / 1200 * (1 - 1/codecs(v.GoVersion)["encoding/json.Unmarshal"]); math.Abs(v.SavedCodec-want) > 1e-9 {
		t.Errorf("codec %v, want %v", v.SavedCodec, want)
	}
	sum := v.Others
	for _, f := range v.Functions {
		sum += f.Saved
	}
	if math.Abs(sum-(1-v.Rest)) > 1e-9 {
		t.Errorf("functions save %v, want %v", sum, 1-v.Rest)
	}
	if v.Root != "example.com/shop.Serve" {
		t.Errorf("Root = %q", v.Root)
	}
}
