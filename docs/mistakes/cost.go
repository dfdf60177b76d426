package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ebbpool/arena"
)

// What the checks cost: requests that make no mistake, as a handler's are.

type reading struct {
	sensor string
	value  float64
	tags   []string
	next   *reading
}

// serve parses one line of readings and returns the sum of their values.
func serve(a *arena.Arena, line []byte) float64 {
	var first *reading
	var values []float64
	for field := range bytes.SplitSeq(bytes.TrimSuffix(line, []byte(";")), []byte(";")) {
		name, number, _ := bytes.Cut(field, []byte("="))
		r := arena.New[reading](a)
		r.sensor = a.AllocBytesToString(name)
		r.value, _ = strconv.ParseFloat(a.AllocBytesToString(number), 64)
		r.tags = arena.Append(a, r.tags, "measured", r.sensor[:1])
		values = arena.Append(a, values, r.value)
		r.next, first = first, r
	}
	sum := 0.0
	for r := first; r != nil; r = r.next {
		sum += r.value * float64(len(r.tags))
	}
	for _, v := range values {
		sum -= v
	}
	return sum
}

// cost prints how long a request takes, in nanoseconds, the median of 21 rounds.
func cost() {
	var line []byte
	for i := range 40 {
		line = fmt.Appendf(line, "sensor-%d=%d.5;", i, i*i)
	}
	rounds := make([]float64, 0, 21)
	for range cap(rounds) {
		const requests = 300
		start := time.Now()
		for range requests {
			pool.Do(func(a *arena.Arena) { use(serve(a, line)) })
		}
		rounds = append(rounds, float64(time.Since(start).Nanoseconds())/requests)
	}
	slices.Sort(rounds)
	fmt.Printf("%.0f\n", rounds[len(rounds)/2])
}
