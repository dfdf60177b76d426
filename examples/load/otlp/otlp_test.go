//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"

	service "github.com/ebbpool/arena/examples/load"
	"github.com/ebbpool/arena/lab/rounds"
)

// The children of a test are this program, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// Both servers answer all that both loops send, and give back what they took. Nothing is
// said of speed, which a test can't measure.
func TestLoops(t *testing.T) {
	out := filepath.Join(t.TempDir(), "otlp.txt")
	if err := measured.Measure(t.Context(), service.Config{Rounds: 2, Requests: 60, Workers: 4, Out: out}); err != nil {
		t.Fatal(err)
	}
	m, err := rounds.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"closed/side=plain", "closed/side=arena", "open/side=plain", "open/side=arena"} {
		if v := m.Values("Service/service=otlp/loop="+name, "p99-ns"); len(v) != 2 || v[0] <= 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
	if err := serve(t.Context(), "neither", "", nil); err == nil {
		t.Error("there is a server of no kind")
	}
}
