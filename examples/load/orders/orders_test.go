//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/rounds"
)

// The test program is also the server that it measures.
func TestMain(m *testing.M) {
	if load.Child(serve) {
		return
	}
	os.Exit(m.Run())
}

// A short measurement has results of both loops and both sides, and the compared responses are equal. The
// test ignores the figures.
func TestMeasure(t *testing.T) {
	out := filepath.Join(t.TempDir(), "orders.txt")
	if err := load.ToFile(out, func(w io.Writer) error {
		_, err := measured.Measure(t.Context(), w, load.Config{Rounds: 1, Requests: 60, Workers: 4})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	m, err := rounds.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range sides {
		for loop, unit := range map[string]string{"closed": "B/req", "open60": "p99-ns", "outside": "ns/op"} {
			if v := m.Values("Service/service=orders/loop="+loop+"/side="+side, unit); len(v) == 0 || v[0] <= 0 {
				t.Errorf("%s, %s loop: %s is %v", side, loop, unit, v)
			}
		}
	}
	if calls == 0 || inDriver <= 0 {
		t.Errorf("%d calls of the driver took %v", calls, inDriver)
	}
	if _, err := measured.Measure(t.Context(), io.Discard, load.Config{}); err == nil {
		t.Error("no rounds were measured")
	}
}

// Eight of ten requests read, and the same seed gives the same requests.
func TestMix(t *testing.T) {
	a, b := mix(7, 5000), mix(7, 5000)
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
