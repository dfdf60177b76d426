package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// The cost of the checks is measured with correct requests, as a handler serves them.

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

// cost prints the CPU time of a request in nanoseconds, as the median of many rounds. A request is the parsing alone
// or, over "http", a whole request through net/http.
func cost(over string) {
	var line []byte
	for i := range 40 {
		line = fmt.Appendf(line, "sensor-%d=%d.5;", i, i*i)
	}
	request := func() {
		pool.Do(func(a *arena.Arena) { use(serve(a, line)) })
	}
	rounds, requests := 21, 300
	if over == "http" {
		server := httptest.NewServer(http.HandlerFunc(handle))
		defer server.Close()
		request = func() { post(server, line) }
		rounds, requests = 11, 200
	}
	took := turns.Run(rounds, func() float64 {
		start := turns.ProcessorTime()
		for range requests {
			request()
		}
		return float64((turns.ProcessorTime() - start).Nanoseconds()) / float64(requests)
	})
	fmt.Printf("%.0f\n", turns.Of(took[0]).Median)
}

// handle serves a line of readings.
func handle(w http.ResponseWriter, r *http.Request) {
	pool.Do(func(a *arena.Arena) {
		line := a.AllocBytes(int(r.ContentLength))
		if _, err := io.ReadFull(r.Body, line); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, serve(a, line))
	})
}

// post sends a line to the server.
func post(server *httptest.Server, line []byte) {
	answer, err := server.Client().Post(server.URL, "text/plain", bytes.NewReader(line))
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mistakes:", err)
		os.Exit(1)
	}
}
