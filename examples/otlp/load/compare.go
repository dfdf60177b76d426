//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ratio is arena / plain, of each round.
type ratio []float64

func (r ratio) String() string {
	s := slices.Sorted(slices.Values(r))
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s[len(s)/2], s[0], s[len(s)-1])
}

type ratios struct{ rate, cpu, p50, p99, p999 ratio }

// compare measures both servers, [0] plain and [1] with arenas, in turns. The open
// loop's load is a third of what plain does at most.
func compare(ctx context.Context, servers [2]*server, data []byte, rounds int, span time.Duration, clients int) (r ratios, err error) {
	var rate float64
	for _, s := range servers { // warm
		n, spent, _, err := s.closed(ctx, data, span/2, clients)
		if err != nil {
			return r, err
		}
		if rate == 0 {
			rate = float64(n) / spent.Seconds() / 3
		}
	}
	for round := range rounds {
		var answered, cpu [2]float64
		var took [2][]time.Duration
		for turn := range servers {
			i := (turn + round) % 2
			n, spent, used, err := servers[i].closed(ctx, data, span, clients)
			if err != nil {
				return r, err
			}
			if n == 0 {
				return r, fmt.Errorf("no request was answered in %v", spent)
			}
			answered[i], cpu[i] = float64(n)/spent.Seconds(), float64(used)/float64(n)
			if took[i], err = servers[i].open(ctx, data, span, rate); err != nil {
				return r, err
			}
		}
		at := func(percent float64) float64 {
			k := int(float64(len(took[0])) * percent / 100)
			return float64(took[1][k]) / float64(took[0][k])
		}
		r.rate = append(r.rate, answered[1]/answered[0])
		r.cpu = append(r.cpu, cpu[1]/cpu[0])
		r.p50, r.p99, r.p999 = append(r.p50, at(50)), append(r.p99, at(99)), append(r.p999, at(99.9))
	}
	return r, nil
}
