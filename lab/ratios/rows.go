package ratios

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"

	"github.com/ebbpool/arena/lab/results"
)

// Row is one value that one benchmark reported in one round.
type Row struct {
	Round int
	Name  string // without "Benchmark" and "-GOMAXPROCS"
	Unit  string // as printed: "ns/op"
	Value float64
}

// ParseBench reads the output of go test -bench of one round. Output without
// any result is an error: a benchmark run that ran nothing is no round.
func ParseBench(r io.Reader, round int) ([]Row, error) {
	var rows []Row
	br := benchfmt.NewReader(r, "bench")
	for br.Scan() {
		switch rec := br.Result().(type) {
		case *benchfmt.Result:
			base, parts := rec.Name.Parts()
			name := string(base)
			for _, p := range parts {
				if p[0] != '-' { // the number of processors is no part of the claim
					name += string(p)
				}
			}
			for _, v := range rec.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				rows = append(rows, Row{round, name, unit, value})
			}
		case *benchfmt.SyntaxError:
			return nil, rec
		}
	}
	if err := br.Err(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("ratios: no benchmark result in the output")
	}
	return rows, nil
}

var head = []string{"round", "name", "unit", "value"}

// Table has every value of every round.
func Table(rows []Row) results.Table {
	t := results.Table{Head: head}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{strconv.Itoa(r.Round), r.Name, r.Unit, strconv.FormatFloat(r.Value, 'g', -1, 64)})
	}
	return t
}

// FromTable is the way back.
func FromTable(t results.Table) ([]Row, error) {
	if !slices.Equal(t.Head, head) {
		return nil, fmt.Errorf("ratios: the columns must be %q, not %q", head, t.Head)
	}
	var rows []Row
	for i, rec := range t.Rows {
		round, errRound := strconv.Atoi(rec[0])
		value, err := strconv.ParseFloat(rec[3], 64)
		if err = errors.Join(errRound, err); err != nil {
			return nil, fmt.Errorf("ratios: record %d: %w", i+1, err)
		}
		rows = append(rows, Row{round, rec[1], rec[2], value})
	}
	return rows, nil
}

// WriteCSV writes raw rows: every value of every round is kept.
func WriteCSV(w io.Writer, rows []Row) error { return Table(rows).WriteCSV(w) }

// ReadCSV reads what WriteCSV wrote.
func ReadCSV(r io.Reader) ([]Row, error) {
	t, err := results.ReadCSV(r)
	if err != nil {
		return nil, err
	}
	return FromTable(t)
}
