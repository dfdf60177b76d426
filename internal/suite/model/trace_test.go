package model

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

const traceDir = "../../../traces"

// The files in traces/, against which both languages test, match the model.
func TestTracesAreFresh(t *testing.T) {
	want := Traces()
	maps.Copy(want, RegionTraces())
	names, err := filepath.Glob(traceDir + "/*-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, ok := want[filepath.Base(name)]; !ok {
			t.Errorf("%s is not one of the model's: remove it", name)
		}
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(traceDir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s is stale (%v): run make traces", name, err)
		}
	}
}

// A trace that is parsed and written again is unchanged.
func TestTraceRoundTrip(t *testing.T) {
	for name, text := range Traces() {
		trace, err := ParseTrace(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if trace.Text() != text {
			t.Errorf("%s changes when it is read and written", name)
		}
	}
}

// The same for regions.
func TestRegionTraceRoundTrip(t *testing.T) {
	for name, text := range RegionTraces() {
		trace, err := ParseRegionTrace(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if trace.Text() != text {
			t.Errorf("%s changes when it is read and written", name)
		}
	}
}

func TestParseRegionTraceRefuses(t *testing.T) {
	for _, text := range []string{
		"", "# only a comment\n", "object 8 8\n", "region 8\n", "region 0 8\n", "region 8 8 8\n", "region 8 x\n",
		"region 8 8\nobject 8\n", "region 8 8\nreset 0 0\n", "region 8 8\nobject -8 0\n", "region 8 8\nfree 1 0\n",
		"region 8 8\nreset  0\n", "region 8 8\n\n", "region 8 8\nregion 8 8\n",
	} {
		if _, err := ParseRegionTrace(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestParseTraceRefuses(t *testing.T) {
	for _, text := range []string{
		"", "# only a comment\n", "alloc 0 1\n", "capacity\n", "capacity -1\n", "capacity x\n",
		"capacity 2\nfree - 1\n", "capacity 2\nalloc 2 1\n", "capacity 2\nalloc 0\n", "capacity 2\nnull\n",
		"capacity 2\nnull 0 0\n", "capacity 2\nalloc 0 3\n", "capacity 2\nmalloc 0 1\n", "capacity 2\nalloc 0  1\n",
		"capacity 2\n\n",
	} {
		if _, err := ParseTrace(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// The model on the smallest pool that has an order.
func TestFixed(t *testing.T) {
	f := NewFixed(2)
	if a, b, c := f.Alloc(), f.Alloc(), f.Alloc(); a != 0 || b != 1 || c != -1 {
		t.Fatal(a, b, c)
	}
	if f.Free(0) != Free || f.Free(0) != Double || f.Free(1) != Free || f.Used() != 0 {
		t.Fatal("free")
	}
	if a, b := f.Alloc(), f.Alloc(); a != 1 || b != 0 {
		t.Fatal("the slot freed last comes first:", a, b)
	}
	if g := NewFixed(2); g.Free(1) != Never || g.Used() != 0 {
		t.Fatal("never")
	}
}
