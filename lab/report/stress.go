package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
)

// StressLine is the median of the stress test's runs of one subject in one
// kind of loop over one number of live objects. A latency of 0 was not
// measured.
type StressLine struct {
	Live                int
	Mode, Subject, Loop string
	Offered             float64 // requests that arrived each second; 0 in a closed loop
	Rate                float64 // requests that were served each second
	P50, P90, P99       float64 // microseconds
	P999, P9999         float64 // microseconds
	Max                 float64 // microseconds; the median of the rounds' worst
	PeakMB              float64
	Collections         float64 // in a run
	Rounds, Behind      int     // Behind of the rounds served less than was offered
}

// loadStress reads stress-<live objects>.csv of a folder: tables of runs, as
// the stress test writes them. Medians are made here, of the runs.
func loadStress(dir string) ([]StressLine, error) {
	names, err := filepath.Glob(filepath.Join(dir, matrix.StressPrefix+"*.csv"))
	if err != nil {
		return nil, err
	}
	var all []StressLine
	for _, name := range names {
		live, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), matrix.StressPrefix), ".csv"))
		if err != nil {
			return nil, fmt.Errorf("%s: the name must end in the number of live objects", name)
		}
		part, err := stressFile(name, live)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, part...)
	}
	slices.SortStableFunc(all, func(a, b StressLine) int { return a.Live - b.Live })
	return all, nil
}

// stressColumns are the numbers of a table of runs. Tables of before there was
// an open loop lack those that are optional.
var stressColumns = []struct {
	head     string
	optional bool
	line     func(*StressLine) *float64
}{
	{"req/s", false, func(l *StressLine) *float64 { return &l.Rate }},
	{"offered/s", true, func(l *StressLine) *float64 { return &l.Offered }},
	{"p50 us", false, func(l *StressLine) *float64 { return &l.P50 }},
	{"p90 us", true, func(l *StressLine) *float64 { return &l.P90 }},
	{"p99 us", false, func(l *StressLine) *float64 { return &l.P99 }},
	{"p99.9 us", false, func(l *StressLine) *float64 { return &l.P999 }},
	{"p99.99 us", true, func(l *StressLine) *float64 { return &l.P9999 }},
	{"max us", false, func(l *StressLine) *float64 { return &l.Max }},
	{"peak MB", false, func(l *StressLine) *float64 { return &l.PeakMB }},
	{"GCs", false, func(l *StressLine) *float64 { return &l.Collections }},
}

func stressFile(name string, live int) ([]StressLine, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := results.ReadCSV(f)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(stressColumns))
	for i, c := range stressColumns {
		if at[i] = slices.Index(t.Head, c.head); at[i] < 0 && !c.optional || len(t.Head) < 3 || t.Head[0] != "mode" {
			return nil, fmt.Errorf("no table of the stress test: column %q is missing", c.head)
		}
	}
	loop, schedule := slices.Index(t.Head, "loop"), slices.Index(t.Head, "schedule")
	var all []StressLine
	var values [][][]float64 // of each line and column
	for i, row := range t.Rows {
		if row[2] == "median" {
			continue
		}
		l := StressLine{Live: live, Mode: row[0], Subject: row[1], Loop: results.Closed}
		if loop >= 0 {
			l.Loop = row[loop]
		}
		if l.Loop != results.Closed && l.Loop != results.Open {
			return nil, fmt.Errorf("line %d: a loop is %s or %s, not %q", i+2, results.Closed, results.Open, l.Loop)
		}
		k := slices.IndexFunc(all, func(o StressLine) bool {
			return o.Mode == l.Mode && o.Subject == l.Subject && o.Loop == l.Loop
		})
		if k < 0 {
			k = len(all)
			all, values = append(all, l), append(values, make([][]float64, len(stressColumns)))
		}
		all[k].Rounds++
		if schedule >= 0 && row[schedule] == results.Behind {
			all[k].Behind++
		}
		for c, column := range stressColumns {
			if at[c] < 0 || column.optional && row[at[c]] == results.None {
				continue
			}
			v, err := strconv.ParseFloat(row[at[c]], 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+2, err)
			}
			values[k][c] = append(values[k][c], v)
		}
	}
	for k := range all {
		for c, column := range stressColumns {
			*column.line(&all[k]) = median(values[k][c])
		}
	}
	return all, nil
}

func stressTable(all []StressLine) results.Table {
	t := results.Table{Head: []string{"live objects", "mode", "loop", "subject", "offered/s", "requests/s",
		"p50", "p90", "p99", "p99.9", "p99.99", "worst", "peak memory", "collections", "rounds", "remark"}}
	for _, l := range all {
		row := []string{thousands(l.Live), l.Mode, l.Loop, l.Subject, results.None, digits(l.Rate)}
		if l.Offered > 0 {
			row[4] = digits(l.Offered)
		}
		for _, us := range []float64{l.P50, l.P90, l.P99, l.P999, l.P9999, l.Max} {
			if us > 0 {
				row = append(row, duration(us*1000))
			} else {
				row = append(row, results.None)
			}
		}
		row = append(row, bytesOf(l.PeakMB*1e6), count(l.Collections), strconv.Itoa(l.Rounds), "")
		if l.Behind > 0 {
			row[len(row)-1] = fmt.Sprintf("behind schedule in %d of %d rounds", l.Behind, l.Rounds)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// stressText explains the table.
const stressText = "The load test's handler (plain Go; sonic with a sync.Pool of all that can be used again; plain Go converted to arenas), by the number of live objects in the background. " +
	"Closed loop: 100 workers each send their next request when they have the answer to their last; it shows how much is served. " +
	"Open loop: requests arrive at random, at the same rate for every subject (a part of what the plain handler served in the closed loop), whether or not others are done, " +
	"and latency counts from the time at which a request was meant to start: a server that stands still makes all that arrive meanwhile wait. " +
	"A round that served less than 95 % of what was offered is behind schedule: its latencies tell how long it ran."
