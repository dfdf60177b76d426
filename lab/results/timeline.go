package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// SliceLength is the length of a slice of a run's timeline. A run's last slice
// ends when the run does.
const SliceLength = 10 * time.Millisecond

// Slice says what happened in one slice of a run.
type Slice struct {
	Requests    uint32 // that were done
	Collections uint32 // that ended
}

// Timeline is the course of one run.
type Timeline struct {
	Subject string
	Round   int
	Slices  []Slice
}

var timelineHead = []string{"subject", "round", "ms", "requests", "collections"}

// WriteTimelines writes the course of every run that has one, a row for each
// slice, with the slice's begin in milliseconds.
func WriteTimelines(w io.Writer, runs []Run) error {
	rows := [][]string{timelineHead}
	for _, r := range runs {
		for i, s := range r.Slices {
			begin := time.Duration(i) * SliceLength
			rows = append(rows, []string{r.Subject, strconv.Itoa(r.Round), strconv.FormatInt(begin.Milliseconds(), 10),
				strconv.FormatUint(uint64(s.Requests), 10), strconv.FormatUint(uint64(s.Collections), 10)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// ReadTimelines reads what WriteTimelines has written.
func ReadTimelines(r io.Reader) ([]Timeline, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], timelineHead) {
		return nil, fmt.Errorf("no timeline: the first line must be %q", timelineHead)
	}
	var all []Timeline
	for i, row := range rows[1:] {
		round, err1 := strconv.Atoi(row[1])
		ms, err2 := strconv.ParseInt(row[2], 10, 64)
		requests, err3 := strconv.ParseUint(row[3], 10, 32)
		collections, err4 := strconv.ParseUint(row[4], 10, 32)
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+2, err)
			}
		}
		if n := len(all); n == 0 || all[n-1].Subject != row[0] || all[n-1].Round != round {
			all = append(all, Timeline{Subject: row[0], Round: round})
		}
		t := &all[len(all)-1]
		if want := (time.Duration(len(t.Slices)) * SliceLength).Milliseconds(); ms != want {
			return nil, fmt.Errorf("line %d: the slice begins at %d ms, want %d: one is missing", i+2, ms, want)
		}
		t.Slices = append(t.Slices, Slice{uint32(requests), uint32(collections)})
	}
	return all, nil
}
