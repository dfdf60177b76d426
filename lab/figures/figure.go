// Package figures stores results: a median for each row of each table, in one small CSV file, from which the
// tables and pictures of the pages are generated. Raw results are files in Go's benchmark format, for
// benchstat, and are not stored.
package figures

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Figure is a row of the CSV.
type Figure struct {
	Table   string // its table
	Work    string // the row: the operation that was measured
	Measure string // the meaning of the number; in a pivot table the column
	Run     string // processor and Go version; in C++ tables the compiler
	Date    string // of the run, like 2026-11-23

	Median, Low, High float64 // Low and High are the minimum and maximum of the rounds
}

// ErrFormat reports that a file is not a CSV file of figures.
var ErrFormat = errors.New("not a file of figures")

var head = []string{"table", "work", "measure", "run", "date", "median", "low", "high"}

// Read reads a file written by Save.
func Read(file string) ([]Figure, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, ErrFormat, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], head) {
		return nil, fmt.Errorf("%s: %w: the first line must be %s", file, ErrFormat, strings.Join(head, ","))
	}
	var all []Figure
	for i, r := range rows[1:] {
		g := Figure{Table: r[0], Work: r[1], Measure: r[2], Run: r[3], Date: r[4]}
		for k, v := range []*float64{&g.Median, &g.Low, &g.High} {
			if *v, err = strconv.ParseFloat(r[5+k], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w: %w", file, i+2, ErrFormat, err)
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// Save replaces the file.
func Save(file string, all []Figure) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(head) // a strings.Builder returns no errors
	for _, g := range all {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		_ = w.Write([]string{g.Table, g.Work, g.Measure, g.Run, g.Date, number(g.Median), number(g.Low), number(g.High)})
	}
	w.Flush()
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// Replace merges the figures of a new run into the stored ones. It replaces figures of the same table and
// processor, and keeps all others.
func Replace(kept, fresh []Figure) []Figure {
	of := func(g Figure) [2]string { return [2]string{g.Table, g.Run} }
	gone := map[[2]string]bool{}
	for _, g := range fresh {
		gone[of(g)] = true
	}
	all := slices.DeleteFunc(slices.Clone(kept), func(g Figure) bool { return gone[of(g)] })
	all = append(all, fresh...)
	slices.SortStableFunc(all, func(a, b Figure) int { return strings.Compare(a.Table, b.Table) })
	return all
}

// Text formats the median, with minimum and maximum if there is more than one round.
func (g Figure) Text() string {
	if g.Low == g.High {
		if i := int(g.Median); float64(i) == g.Median && i < 100 {
			return strconv.Itoa(i)
		}
		return number(g.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", number(g.Median), number(g.Low), number(g.High))
}

// number formats v with about three significant digits, and thousands separators.
func number(v float64) string {
	switch {
	case v >= 100:
		s := strconv.FormatFloat(v, 'f', 0, 64)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v < 0.1 && v > 0:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v == 0:
		return "0"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
