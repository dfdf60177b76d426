package receiver

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Service holds the counts of one service.
type Service struct {
	Spans, FailedSpans, SpanNanos uint64
	Logs, ErrorLogs, LogBytes     uint64
	Points, Measured              uint64 // Measured counts the values in histograms
}

// totals maps names of services to counts.
type totals struct {
	mu       sync.Mutex
	services map[string]*Service
}

// add adds the counts of a request. The name is memory of the request, so it is copied the first time.
func (t *totals) add(name string, more Service) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.services[name]
	if s == nil {
		if t.services == nil {
			t.services = map[string]*Service{}
		}
		s = new(Service)
		t.services[strings.Clone(name)] = s
	}
	s.Spans += more.Spans
	s.FailedSpans += more.FailedSpans
	s.SpanNanos += more.SpanNanos
	s.Logs += more.Logs
	s.ErrorLogs += more.ErrorLogs
	s.LogBytes += more.LogBytes
	s.Points += more.Points
	s.Measured += more.Measured
}

// Totals returns the counts of each service.
func (r *Receiver) Totals() map[string]Service {
	r.totals.mu.Lock()
	defer r.totals.mu.Unlock()
	all := map[string]Service{}
	for name, s := range r.totals.services {
		all[name] = *s
	}
	return all
}

// Print writes the totals as a table, by name.
func (r *Receiver) Print(w io.Writer) {
	all := r.Totals()
	fmt.Fprintf(w, "%-24s %10s %8s %10s %10s %8s %10s %10s\n", "service", "spans", "failed", "mean", "logs", "errors", "points", "measured")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		mean := time.Duration(s.SpanNanos / max(1, s.Spans))
		fmt.Fprintf(w, "%-24s %10d %8d %10v %10d %8d %10d %10d\n", name, s.Spans, s.FailedSpans, mean.Round(time.Microsecond), s.Logs, s.ErrorLogs, s.Points, s.Measured)
	}
}
