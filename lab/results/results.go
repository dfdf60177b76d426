// Package results holds what a stress run measures, and writes it as a table
// and as CSV: the same cells, by the same code.
package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/montanaflynn/stats"
)

// Run is what one process measured: one subject, one mode, one round. All
// counts are of the measured part, after the warm-up; the peak of memory is
// of the whole process.
type Run struct {
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
	P50   time.Duration
	P90   time.Duration
	P99   time.Duration
	P999  time.Duration
	P9999 time.Duration
	Max   time.Duration

	GCCycles   uint32
	PauseTotal time.Duration
	PauseMax   time.Duration // the worst of the last 256
	GCShare    float64       // of the time of all processors, without idle ones' help
	Mallocs    uint64
	Bytes      uint64 // allocated on the Go heap
	PeakRSS    uint64 // bytes, the kernel's high-water mark

	Checksum uint64 // of all answers; the order of requests doesn't matter
	Errors   int64

	// Slices are the run's course; an open loop's is not recorded.
	Slices []Slice `json:",omitempty"`
}

// Rate is requests per second.
func (r Run) Rate() float64 { return float64(r.Requests) / r.Seconds }

// Loops: what a request waits for before it is sent.
const (
	Closed = "closed" // an answer to the worker's last one
	Open   = "open"   // its time
)

// Loop is the kind of loop that the run was.
func (r Run) Loop() string {
	if r.Offered > 0 {
		return Open
	}
	return Closed
}

// enough is the part of the offered requests per second that a run must have
// served to have kept up with them.
const enough = 0.95

// Schedules: whether an open loop's requests were served as fast as they came.
const (
	Kept   = "kept"
	Behind = "behind"
	None   = "-" // a closed loop has no schedule
)

// Schedule reports whether the run kept up. The latencies of one that fell behind
// tell how long the run was, not how long a request takes.
func (r Run) Schedule() string {
	switch {
	case r.Loop() == Closed:
		return None
	case r.Rate() < enough*r.Offered:
		return Behind
	}
	return Kept
}

// Table is a heading and rows of cells; cells have no line ends.
type Table struct {
	Head []string
	Rows [][]string
}

// runColumns are the columns of a table of runs. A number that a median is
// taken of is a float64 in the unit that the heading names; NaN, shown as "-",
// is none.
var runColumns = []struct {
	head   string
	digits int
	value  func(Run) float64
}{
	{"req/s", 0, Run.Rate},
	{"offered/s", 0, func(r Run) float64 {
		if r.Loop() == Closed {
			return math.NaN()
		}
		return r.Offered
	}},
	{"p50 us", 1, func(r Run) float64 { return micros(r.P50) }},
	{"p90 us", 1, func(r Run) float64 { return micros(r.P90) }},
	{"p99 us", 1, func(r Run) float64 { return micros(r.P99) }},
	{"p99.9 us", 1, func(r Run) float64 { return micros(r.P999) }},
	{"p99.99 us", 1, func(r Run) float64 { return micros(r.P9999) }},
	{"max us", 1, func(r Run) float64 { return micros(r.Max) }},
	{"GCs", 0, func(r Run) float64 { return float64(r.GCCycles) }},
	{"pause us", 1, func(r Run) float64 { return micros(r.PauseTotal) }},
	{"worst pause us", 1, func(r Run) float64 { return micros(r.PauseMax) }},
	{"CPU us/req", 2, func(r Run) float64 { return micros(r.CPU) / float64(r.Requests) }},
	{"GC CPU %", 2, func(r Run) float64 { return 100 * r.GCShare }},
	{"allocs/req", 2, func(r Run) float64 { return float64(r.Mallocs) / float64(r.Requests) }},
	{"B/req", 1, func(r Run) float64 { return float64(r.Bytes) / float64(r.Requests) }},
	{"peak MB", 1, func(r Run) float64 { return float64(r.PeakRSS) / 1e6 }},
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func cell(v float64, digits int) string {
	if math.IsNaN(v) {
		return None
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Runs makes the table of all runs, in their order, and below them one row of
// medians for each mode, subject and kind of loop.
func Runs(runs []Run) (Table, error) {
	t := Table{Head: []string{"mode", "subject", "round", "loop", "schedule"}}
	for _, c := range runColumns {
		t.Head = append(t.Head, c.head)
	}
	type key struct{ mode, subject, loop string }
	var order []key
	groups := map[key][]Run{}
	for _, r := range runs {
		k := key{r.Mode, r.Subject, r.Loop()}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], r)
		row := []string{r.Mode, r.Subject, strconv.Itoa(r.Round), r.Loop(), r.Schedule()}
		for _, c := range runColumns {
			row = append(row, cell(c.value(r), c.digits))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, k := range order {
		row := []string{k.mode, k.subject, "median", k.loop, groups[k][0].Schedule()}
		for _, r := range groups[k] {
			if r.Schedule() == Behind {
				row[4] = Behind
			}
		}
		for _, c := range runColumns {
			var values []float64
			for _, r := range groups[k] {
				values = append(values, c.value(r))
			}
			median, err := stats.Median(values)
			if err != nil {
				return Table{}, err
			}
			row = append(row, cell(median, c.digits))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// WriteText writes the table with aligned columns.
func (t Table) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		if _, err := fmt.Fprintln(tw, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// WriteCSV writes the same cells as CSV.
func (t Table) WriteCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(t.Head); err != nil {
		return err
	}
	return cw.WriteAll(t.Rows)
}

// ReadCSV reads what WriteCSV has written.
func ReadCSV(r io.Reader) (Table, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return Table{}, err
	}
	if len(rows) == 0 {
		return Table{}, errors.New("results: a table without a head")
	}
	return Table{Head: rows[0], Rows: rows[1:]}, nil
}

// Markdown is the table as Markdown; what begins with a digit is to the right.
func (t Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(t.Head)
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---"
		if len(t.Rows) > 0 && t.Rows[0][i] != "" && t.Rows[0][i][0] >= '0' && t.Rows[0][i][0] <= '9' {
			rule[i] = "---:"
		}
	}
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}
