//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The test's own program is the server that it measures.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A short measurement has every row, and the services' answers, which it compares, are
// the same. It does not look at figures.
func TestMeasure(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+begin+"old\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := config{rounds: 1, requests: 150, orders: 300, workers: 4, seed: 1}
	if testing.Short() {
		c.requests = 30
	}
	if err := measure(t.Context(), c, &out, page); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, r := range table {
		if !strings.Contains(got, "| "+r.name+" | ") {
			t.Errorf("%q is missing from\n%s", r.name, got)
		}
	}
	if calls == 0 || inDriver <= 0 {
		t.Errorf("%d calls of the driver took %v", calls, inDriver)
	}
	if n := strings.Count(got, "\n"); n != len(table)+3 {
		t.Errorf("%d lines", n)
	}
	written, err := os.ReadFile(page)
	if err != nil || string(written) != "before\n"+begin+got+end+"\nafter\n" {
		t.Errorf("%v: %s", err, written)
	}
}

// Eight of ten requests read, and the same seed makes the same ones.
func TestMix(t *testing.T) {
	a, b := mix(7, 5000, 100), mix(7, 5000, 100)
	reads := 0
	for i := range a {
		if a[i].Method != b[i].Method || a[i].Path != b[i].Path || !bytes.Equal(a[i].Body, b[i].Body) {
			t.Fatalf("request %d: %v and %v", i, a[i], b[i])
		}
		if a[i].Method == "GET" {
			reads++
		}
	}
	if reads < 3900 || reads > 4100 {
		t.Errorf("%d of 5000 read", reads)
	}
}
