//go:build unix

package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena/examples/otlp/batch"
)

// The children of a test are this program, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-serve" {
		if err := serve(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

// Both servers answer all that both loops send, and give back what they took. Nothing is
// said of speed, which a test can't measure.
func TestLoops(t *testing.T) {
	data, err := proto.Marshal(batch.Traces("orders", 30))
	if err != nil {
		t.Fatal(err)
	}
	var servers [2]*server
	for i, kind := range []string{"plain", "arena"} {
		s, err := start(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = s
	}
	r, err := compare(t.Context(), servers, data, 2, 50*time.Millisecond, 4)
	if err != nil {
		t.Error(err)
	}
	for name, ratio := range map[string]ratio{"requests": r.rate, "p50": r.p50, "p99": r.p99, "p99.9": r.p999} {
		for _, x := range ratio {
			if len(ratio) != 2 || x <= 0 {
				t.Errorf("%s: %v", name, ratio)
			}
		}
	}
	if err := servers[0].send(t.Context(), 0, []byte("\xff")); err == nil {
		t.Error("a server took nonsense")
	}
	for _, s := range servers {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}
	if s, err := start(t.Context(), "neither"); err == nil {
		t.Error("a server of no kind", s)
	}
}

func TestRatio(t *testing.T) {
	if s := (ratio{3, 1, 2}).String(); s != "2.00 (1.00 to 3.00)" {
		t.Error(s)
	}
}
