//go:build unix

package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The test program is also the server that it measures.
func TestMain(m *testing.M) {
	if Child(answering) {
		return
	}
	os.Exit(m.Run())
}

// answering serves the response given by its environment.
func answering(ctx context.Context, side, _ string, l net.Listener) error {
	if side == "broken" {
		return errors.New("this one does not start")
	}
	s := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path, os.Getenv("ANSWER"))
	})}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

type getter string

func (getter) Prepare(int) {}
func (g getter) Send(i int) ([]byte, error) {
	r, err := http.Get(fmt.Sprintf("http://%s/%d", g, i))
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// A server with a different response gives no result, nor does one that does not start. A p99.9 is based on
// the requests of all rounds, or is left out.
func TestMeasure(t *testing.T) {
	defer func(n int64) { enough = n }(enough)
	for _, c := range []struct {
		sides, wrong string
		enough       int64
	}{{"a b+ANSWER=", "", 40}, {"a b+ANSWER=", "", 41}, {"a b+ANSWER=other", "differ", 40}, {"broken", "broken", 40}} {
		enough = c.enough
		sides := strings.Fields(c.sides)
		s := Service{Name: "test", Sides: sides, Open: []int{50}, Steady: sides[:1], Serve: answering,
			Begin: func(context.Context, string) (string, error) { return "", nil },
			Senders: func(addr string, workers, _ int, _ uint64) (all []Sender, end func(), err error) {
				for range workers {
					all = append(all, getter(addr))
				}
				return all, func() {}, nil
			}}
		var b strings.Builder
		all, err := s.Measure(t.Context(), &b, Config{Rounds: 2, Requests: 20, Workers: 2})
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v", c.sides, err)
			}
			continue
		}
		if err != nil || len(all) != 6 {
			t.Fatalf("%s: %d results, %v", c.sides, len(all), err)
		}
		if n := strings.Count(b.String(), "pooled-p99-ns"); n != 3 {
			t.Errorf("%d p99s of all rounds, want 3:\n%s", n, &b)
		}
		pooled := regexp.MustCompile(`(?m)^BenchmarkService/service=test/loop=\w+/side=\S+ 40 \d+ p99.9-ns$`).FindAllString(b.String(), -1)
		if want := map[int64]int{40: 3, 41: 0}[c.enough]; len(pooled) != want {
			t.Errorf("%d p99.9s, want %d:\n%s", len(pooled), want, &b)
		}
	}
}

// OpenFor is the duration of an open loop, whatever the rate.
func TestOpenFor(t *testing.T) {
	s := Service{Name: "test", Sides: []string{"a"}, Open: []int{50}, Steady: []string{"a"}, Serve: answering,
		Begin: func(context.Context, string) (string, error) { return "", nil },
		Senders: func(addr string, workers, _ int, _ uint64) (all []Sender, end func(), err error) {
			for range workers {
				all = append(all, getter(addr))
			}
			return all, func() {}, nil
		}}
	all, err := s.Measure(t.Context(), io.Discard, Config{Rounds: 1, Requests: 200, Workers: 2, OpenFor: 300 * time.Millisecond})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d results, %v", len(all), err)
	}
	if took := float64(all[1].Requests) / all[1].PerSecond; took < 0.2 {
		t.Errorf("the open loop took %.3f s, want 0.3", took)
	}
}
