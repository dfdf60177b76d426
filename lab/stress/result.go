package stress

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/montanaflynn/stats"
)

// Result holds the measurements of one process: one subject, one mode, one round. All counts are
// of the measured part, after the warm-up; the peak of memory is of the whole process.
type Result struct {
	Mode    string
	Subject string
	Round   int

	Requests int
	Seconds  float64
	CPU      time.Duration // of the process: with mode http also that of its clients
	// Offered is the number of requests that arrived each second, of an open
	// loop; 0 is a closed loop: workers send when they have their answer.
	Offered float64
	// Latencies of a closed loop begin when a request was sent, those of an
	// open loop when it arrived.
	P50, P90, P99, P999, P9999, Max time.Duration

	GCCycles   uint32
	PauseTotal time.Duration
	PauseMax   time.Duration // the worst of the last 256
	GCShare    float64       // of the time of all processors, without idle ones' help
	Mallocs    uint64
	Bytes      uint64 // allocated on the Go heap
	PeakRSS    uint64 // bytes, the kernel's high-water mark

	Checksum uint64 // of all answers; the order of requests doesn't matter
	Errors   int64
}

// Rate is requests per second.
func (r Result) Rate() float64 { return float64(r.Requests) / r.Seconds }

// Loops: what a request waits for before it is sent.
const (
	Closed = "closed" // an answer to the worker's last one
	Open   = "open"   // its time
)

// Loop is the kind of loop that the run was.
func (r Result) Loop() string {
	if r.Offered > 0 {
		return Open
	}
	return Closed
}

// enough is the part of the offered requests per second that a run must have served to
// have kept up with them.
const enough = 0.95

// Behind reports whether an open loop's requests were served more slowly than they came.
// Its latencies tell how long the run was, not how long a request takes.
func (r Result) Behind() bool { return r.Rate() < enough*r.Offered }

// Name returns the name of a run's benchmark.
func Name(mode, loop, subject string) string {
	return fmt.Sprintf("Stress/mode=%s/loop=%s/subject=%s", mode, loop, subject)
}

// Write writes the run as a line in Go's benchmark format.
func (r Result) Write(w io.Writer) error {
	n := float64(r.Requests)
	behind := 0
	if r.Behind() {
		behind = 1
	}
	_, err := fmt.Fprintf(w, "round: %d\nBenchmark%s %d %.5g req/s %.5g offered/s %d behind %d p50-ns %d p90-ns %d p99-ns %d p99.9-ns %d p99.99-ns %d max-ns"+
		" %d GCs %d pause-ns %d worst-pause-ns %.5g cpu-ns/req %.4g GC-%% %.4g allocs/req %.5g B/req %d peak-B\n",
		r.Round, Name(r.Mode, r.Loop(), r.Subject), r.Requests, r.Rate(), r.Offered, behind, r.P50, r.P90, r.P99, r.P999, r.P9999, r.Max,
		r.GCCycles, r.PauseTotal, r.PauseMax, float64(r.CPU)/n, 100*r.GCShare, float64(r.Mallocs)/n, float64(r.Bytes)/n, r.PeakRSS)
	return err
}

// ErrMismatch tells that runs which must give the same answers did not.
var ErrMismatch = errors.New("stress: the answers differ")

// Verify fails when a run had errors, or when two runs of the same number of requests gave
// different answers. A subject that is fast and wrong is no result.
func Verify(runs []Result) error {
	first := map[int]Result{}
	var errs []error
	for _, r := range runs {
		what := func(r Result) string {
			return fmt.Sprintf("%s, %s, %s loop, round %d", r.Mode, r.Subject, r.Loop(), r.Round)
		}
		if r.Errors > 0 {
			errs = append(errs, fmt.Errorf("stress: %s: %d requests of %d failed", what(r), r.Errors, r.Requests))
		}
		f, ok := first[r.Requests]
		if !ok {
			first[r.Requests] = r
			continue
		}
		if f.Checksum != r.Checksum {
			errs = append(errs, fmt.Errorf("%w: %s has the checksum %016x; %s has %016x", ErrMismatch, what(r), r.Checksum, what(f), f.Checksum))
		}
	}
	return errors.Join(errs...)
}

// bars are what a newcomer wants to know of a load test.
var bars = []struct {
	what, format string
	value        func(Result) float64
}{
	{"requests/s, more is better", "%.0f", Result.Rate},
	{"1 in 1,000 takes longer than", "%.1f ms", func(r Result) float64 { return float64(r.P999) / 1e6 }},
	{"processors' time for collection", "%.1f %%", func(r Result) float64 { return 100 * r.GCShare }},
	{"memory at most", "%.0f MB", func(r Result) float64 { return float64(r.PeakRSS) / 1e6 }},
}

// barWidth is a bar's longest, in characters.
const barWidth = 12

// WriteBars writes a line for each of bars, with each subject's median and a bar of it.
func WriteBars(w io.Writer, runs []Result) error {
	var subjects []string
	values := map[string][][]float64{}
	for _, r := range runs {
		if values[r.Subject] == nil {
			subjects = append(subjects, r.Subject)
			values[r.Subject] = make([][]float64, len(bars))
		}
		for i, b := range bars {
			values[r.Subject][i] = append(values[r.Subject][i], b.value(r))
		}
	}
	for i, b := range bars {
		most := 0.0
		medians := map[string]float64{}
		for _, s := range subjects {
			m, err := stats.Median(values[s][i])
			if err != nil {
				return err
			}
			medians[s], most = m, max(most, m)
		}
		line := fmt.Sprintf("%-34s", b.what)
		for _, s := range subjects {
			length := 0
			if most > 0 {
				length = int(math.Round(medians[s] / most * barWidth))
			}
			line += fmt.Sprintf("%s %-8s%-*s  ", s, fmt.Sprintf(b.format, medians[s]), barWidth, strings.Repeat("█", length))
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
