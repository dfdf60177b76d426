package advise

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

const shop = "testdata/shop"

// lineOf is the line of shop.go that ends with a comment.
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

// maker makes up profiles: stacks of functions, from the leaf. "shop.NAME" is that function,
// at the line with this comment, "shop.NAME@FILE" one of another file.
type maker struct {
	t         *testing.T
	p         *profile.Profile
	functions map[string]*profile.Location
}

func newMaker(t *testing.T, types ...string) *maker {
	m := &maker{t, &profile.Profile{PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1, DurationNanos: 10e9}, map[string]*profile.Location{}}
	for _, typ := range types {
		m.p.SampleType = append(m.p.SampleType, &profile.ValueType{Type: typ, Unit: "count"})
	}
	return m
}

func (m *maker) add(stack string, values ...int64) {
	s := &profile.Sample{Value: values}
	for _, name := range strings.Fields(stack) {
		l := m.functions[name]
		if l == nil {
			f := &profile.Function{ID: uint64(len(m.functions) + 1), Name: name, Filename: "/src/x/x.go"}
			line := int64(1)
			if function, file, ok := strings.Cut(name, "@"); ok {
				f.Name, f.Filename = "example.com/"+function, file
			} else if short, ok := strings.CutPrefix(name, "shop."); ok {
				f.Name = "example.com/shop." + strings.TrimRight(short, "0123456789")
				f.Filename = "/elsewhere/shop/shop.go"
				line = lineOf(m.t, short)
			}
			l = &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f, Line: line}}}
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

// One profile with each kind of site: what an arena takes, what stays and why, and the time
// that is left, worked out by hand.
func TestAdvise(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(400, "shop.find")
	c.cpu(300, mallocs+"shop.find")
	c.cpu(40, mallocs+"shop.later")
	c.cpu(30, mallocs+"shop.literal")
	c.cpu(20, mallocs+"fmt.Sprintf shop.text")
	c.cpu(10, mallocs+"errors.New shop.fail")
	c.cpu(50, mallocs+"shop.keep")
	c.cpu(10, mallocs+"strings.ReplaceAll shop.replace")
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

	v, err := Advise(Config{Dir: shop, CPU: c.file(), Allocs: a.file(), Requests: 10_000_000, Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]string{}
	for _, s := range v.Sites {
		outcomes[short(s.Function)+" "+s.Called] = s.Outcome + ", " + s.Use
	}
	for site, want := range map[string]string{
		"shop.find ":                      "taken, arena.New",
		"shop.later ":                     "stays, a method value",
		"shop.literal ":                   "stays, a closure",
		"shop.text fmt.Sprintf":           "taken, Sprintf",
		"shop.fail errors.New":            "stays, an error",
		"shop.keep ":                      "stays, lives 1s",
		"shop.replace strings.ReplaceAll": "stays, no counterpart of strings.ReplaceAll",
	} {
		if !strings.HasPrefix(outcomes[site], want) {
			t.Errorf("%s: %q, want %q", site, outcomes[site], want)
		}
	}
	const sample = 10e6
	program, malloc, gc := 440*sample, 140*sample, 100*sample
	bytes := 64.0*many + many + 4*many
	after := program + malloc + 1.1*many*nanosOfNew + 65*many*nanosOfByte + gc*4*many/bytes + 10_000_000*nanosOfLife
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
	var text, page strings.Builder
	if err := v.Print(&text); err != nil || !strings.HasPrefix(text.String(), "WARNING: ") || !strings.Contains(text.String(), "\nyes: about") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := v.HTML(&page); err != nil || !strings.Contains(page.String(), "shop.find: 81.0 %") || strings.Contains(page.String(), "ZgotmplZ") {
		t.Errorf("%v\n%s", err, page.String())
	}
}

// A program of which nearly all is its own gets a no, and what to do instead.
func TestAdviseNo(t *testing.T) {
	for want, add := range map[string]func(*maker){
		"isn't what this program's time goes to": func(c *maker) { c.cpu(50, mallocs+"shop.find") },
		"GOGC=400":                               func(c *maker) { c.cpu(300, collector); c.cpu(100, mallocs+"shop.literal") },
		"fewer allocations where they are":       func(c *maker) { c.cpu(300, mallocs+"shop.literal") },
	} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(1000, "shop.find")
		add(c)
		v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"./..."}})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(v.Instead(), "\n"); v.Pays || !strings.HasPrefix(v.Verdict(), "no: ") || !strings.Contains(text, want) {
			t.Errorf("%s\n%s\nwant %s", v.Verdict(), text, want)
		}
	}
}

// What a codec takes is divided by how much faster arenajson is; the collector's part of the
// stack in it, too.
func TestAdviseJSON(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(300, "encoding/json.stateInString encoding/json.Unmarshal shop.decode")
	c.cpu(100, mallocs+"encoding/json.Unmarshal shop.decode")
	c.cpu(100, "gcWriteBarrier encoding/json.Unmarshal shop.decode")
	c.cpu(100, mallocs+"errors.New shop.fail") // so that a collector is left
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1100 / (600 + 500/codecs(v.GoVersion)["encoding/json.Unmarshal"].likely); math.Abs(v.Gain-want) > 0.001 {
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

// What a test of shop keeps is found, and what it only makes is not.
func TestSurvivors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs tests")
	}
	r, err := Test(shop, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	live := map[int][2]int64{}
	for _, l := range r.Lines {
		live[l.Line.Line] = [2]int64{l.Objects, l.Live}
	}
	if got := live[int(lineOf(t, "find"))]; got[0] != 100 || got[1] != 0 {
		t.Errorf("find: %v objects, and live, want 100 and 0", got)
	}
	if got := live[int(lineOf(t, "keep"))]; got != [2]int64{50, 50} {
		t.Errorf("keep: %v objects, and live, want 50 and 50", got)
	}
	if r.Count != 2 || r.Lines[0].Test != "TestKeep" {
		t.Errorf("%d tests, most outlive %s", r.Count, r.Lines[0].Test)
	}
	c := newMaker(t, "samples", "cpu")
	c.cpu(500, "shop.find")
	c.cpu(500, mallocs+"shop.keep")
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}, Survivors: r.Survivors()})
	if err != nil {
		t.Fatal(err)
	}
	if v.Pays || len(v.Heap) == 0 || v.Heap[0].Use != "outlives the test: 100 % of them" {
		t.Errorf("%s: %v", v.Verdict(), v.Heap)
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
			m.p.Mapping = []*profile.Mapping{{ID: 1, BuildID: id}}
		}
		return Config{Dir: shop, CPU: c.file(), Allocs: a.file(), Patterns: []string{"./..."}}
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
	c.cpu(100, collector)
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	if sum := v.SavedCodec + v.SavedMemory + v.Rest; math.Abs(sum-1) > 1e-9 || math.Abs(1/v.Gain-v.Rest) > 1e-9 {
		t.Errorf("codec %v, memory %v, rest %v, gain %v", v.SavedCodec, v.SavedMemory, v.Rest, v.Gain)
	}
	sum := v.Others
	for _, f := range v.Functions {
		sum += f.Saved
	}
	if math.Abs(sum-(1-v.Rest)) > 1e-9 {
		t.Errorf("functions save %v, want %v", sum, 1-v.Rest)
	}
	if v.Root != "example.com/shop.find" && v.Root != "" {
		t.Errorf("Root = %q", v.Root)
	}
}
