//go:build unix

package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"
)

// Phase is a part of a changing load: Rate requests per second at random or, with Together, that many at one
// moment. With neither there are none.
type Phase struct {
	Name     string
	Length   time.Duration
	Rate     float64
	Together int
}

// arrivals returns the start times of the phase's requests.
func (p Phase) arrivals(seed uint64) []time.Duration {
	n := int(p.Rate * p.Length.Seconds())
	if p.Together == 0 {
		if n == 0 {
			return nil
		}
		return Arrivals(seed, n, p.Rate)
	}
	at := make([]time.Duration, n)
	for i := range at {
		at[i] = time.Duration(float64(i/p.Together*p.Together) / p.Rate * float64(time.Second))
	}
	return at
}

// Shift makes all sides serve the same load at the same time, phase by phase, and writes the mean resident
// memory of each server in the second half of each phase.
func (s Service) Shift(ctx context.Context, w io.Writer, phases []Phase) error {
	servers := make([]*server, len(s.Sides))
	for i, side := range s.Sides {
		data, err := s.Begin(ctx, "")
		if err == nil {
			servers[i], err = start(side, data, "")
		}
		if err != nil {
			return err
		}
		defer servers[i].stop()
	}
	for k, p := range phases {
		at := p.arrivals(uint64(k))
		var g sync.WaitGroup
		failed, lines := make([]error, len(s.Sides)), make([]string, len(s.Sides))
		for i, side := range s.Sides {
			g.Go(func() {
				senders, end, err := s.Senders(servers[i].addr, max(16, p.Together), len(at)+1, uint64(k))
				if err != nil {
					failed[i] = err
					return
				}
				defer end()
				resident := make(chan float64, 1)
				go func() { resident <- servers[i].resident(p.Length) }()
				clients := New(senders)
				err = clients.Run(ctx, Open(at))
				lines[i] = fmt.Sprintf("BenchmarkShift/phase=%s/side=%s %d %.0f resident-B\n", strings.ReplaceAll(p.Name, " ", "_"), side, max(len(at), 1), <-resident)
				_, _, _, first := clients.Total()
				failed[i] = errors.Join(err, first)
			})
		}
		g.Wait()
		if err := errors.Join(failed...); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if _, err := io.WriteString(w, strings.Join(lines, "")); err != nil {
			return err
		}
	}
	return nil
}

// resident returns the mean resident memory of the server in the second half of the given time.
func (s *server) resident(length time.Duration) (bytes float64) {
	time.Sleep(length / 2)
	n := 0
	for end := time.Now().Add(length / 2); time.Now().Before(end); time.Sleep(min(length/50, time.Second)) {
		if p, err := procfs.NewProc(s.cmd.Process.Pid); err == nil {
			if status, err := p.NewStatus(); err == nil {
				bytes += float64(status.VmRSS)
				n++
			}
		}
	}
	return bytes / float64(max(n, 1))
}
