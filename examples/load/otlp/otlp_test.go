//go:build linux

package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/rounds"
)

// Child processes of a test run this program.
func TestMain(m *testing.M) {
	if load.Child(serve) {
		return
	}
	os.Exit(m.Run())
}

// Both servers respond to all requests of both loops, and put all arenas back. The test ignores the figures.
func TestLoops(t *testing.T) {
	out := filepath.Join(t.TempDir(), "otlp.txt")
	if err := load.ToFile(out, func(w io.Writer) error {
		_, err := measured.Measure(t.Context(), w, load.Config{Rounds: 2, Requests: 60, Workers: 4})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	m, err := rounds.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"closed/side=plain", "closed/side=arena", "open33/side=plain", "open33/side=arena"} {
		if v := m.Values("Service/service=otlp/loop="+name, "p99-ns"); len(v) != 2 || v[0] <= 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
	if err := serve(t.Context(), "neither", "", nil); err == nil {
		t.Error("there is a server of no kind")
	}
}
