//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"

	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/load/handlers"
)

// The test program is also the server that it measures.
func TestMain(m *testing.M) {
	if load.Child(serve) {
		return
	}
	os.Exit(m.Run())
}

var small = load.Config{Rounds: 1, Requests: 40, Workers: 4}

// Every side responds to all requests of each loop, with equal responses, which Measure compares. The test
// ignores the figures.
func TestSides(t *testing.T) {
	var b bytes.Buffer
	// The installed Go replaces the older one.
	here := "+GOTOOLCHAIN=" + strings.Fields(runtime.Version())[0]
	for i, side := range sides {
		sides[i] = strings.Replace(side, handlers.Older, here, 1)
	}
	s := service(1000, sides, steady)
	s.Open = []int{50, 80}
	all, err := s.Measure(t.Context(), &b, small)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(sides) + 2*len(steady); len(all) != want || strings.Count(b.String(), "\n") != 2*want { // one for all rounds
		t.Errorf("%d results, not %d:\n%s", len(all), want, &b)
	}
	for _, r := range all {
		if r.CPU <= 0 || r.PerSecond <= 0 || r.Quantile(50) <= 0 || r.Used.Allocations == 0 {
			t.Errorf("%+v", r)
		}
	}
	s.Sides = []string{"none"}
	if _, err := s.Measure(t.Context(), &b, small); err == nil {
		t.Error("a server of no kind was measured")
	}
	if _, err := s.Measure(t.Context(), &b, load.Config{}); err == nil {
		t.Error("no rounds were measured")
	}
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	if err := demo(t.Context(), &out, new(bytes.Buffer), 1000, small); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("line has more than 100 columns: %s", line)
		}
	}
	for _, side := range handlers.Front {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(side) + `( +[\d.]+){5} █+$`).MatchString(out.String()) {
			t.Errorf("no row of %s", side)
		}
	}
	m := regexp.MustCompile(`(?m)^arena: [\d.]+ times plain's .*\nplain's CPU: (\d+) % codec, (\d+) % allocation and collection, (\d+) % other$`).FindStringSubmatch(out.String())
	if m == nil {
		t.Fatalf("no summary in\n%s", &out)
	}
	sum := 0
	for _, share := range m[1:] {
		n, _ := strconv.Atoi(share)
		sum += n
	}
	if sum != 100 {
		t.Errorf("shares add up to %d %%, want 100 %%", sum)
	}
}

// A changing load has a line for each pool in each part of a phase, and for each server in each phase.
func TestShift(t *testing.T) {
	var b bytes.Buffer
	if err := shift(t.Context(), &b, time.Second); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^Benchmark(Pool/phase=\S+/pool=\w+ \d+ \d+ cpu-ns/req [1-9]\d* retained-B|Shift/phase=\S+/side=\w+ \d+ [1-9]\d{6,} resident-B)$`).FindAllString(b.String(), -1)
	if want := 7*11*(1+len(chunkSizes)) + 5*2; len(lines) != want || strings.Count(b.String(), "\n") != want {
		t.Errorf("%d lines, not %d:\n%s", len(lines), want, &b)
	}
}

// Allocations of the codec count as memory, and only once.
func TestSplit(t *testing.T) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}}
	for stack, cpu := range map[string]int64{
		"runtime.mallocgc encoding/json.Unmarshal main.serve": 3, "runtime.gcBgMarkWorker": 2, "encoding/json.Marshal main.serve": 4, "syscall.write": 1,
	} {
		s := &profile.Sample{Value: []int64{cpu}}
		for name := range strings.FieldsSeq(stack) {
			id := uint64(len(p.Function) + 1)
			f := &profile.Function{ID: id, Name: name}
			l := &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
			p.Function, p.Location, s.Location = append(p.Function, f), append(p.Location, l), append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := p.WriteUncompressed(z); err != nil {
		t.Fatal(err)
	}
	z.Close()
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if codec, memory, err := split(file); err != nil || codec != 0.4 || memory != 0.5 {
		t.Errorf("the codec %g, memory %g, %v", codec, memory, err)
	}
}
