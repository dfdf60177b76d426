package ratios

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
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

// WriteCSV writes raw rows: every value of every round is kept.
func WriteCSV(w io.Writer, rows []Row) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(head); err != nil {
		return err
	}
	for _, r := range rows {
		value := strconv.FormatFloat(r.Value, 'g', -1, 64)
		if err := cw.Write([]string{strconv.Itoa(r.Round), r.Name, r.Unit, value}); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// ReadCSV reads what WriteCSV wrote.
func ReadCSV(r io.Reader) ([]Row, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || strings.Join(records[0], ",") != strings.Join(head, ",") {
		return nil, fmt.Errorf("ratios: the first line of the CSV must be %q", strings.Join(head, ","))
	}
	var rows []Row
	for i, rec := range records[1:] {
		round, err := strconv.Atoi(rec[0])
		if err != nil {
			return nil, fmt.Errorf("ratios: record %d: %w", i+1, err)
		}
		value, err := strconv.ParseFloat(rec[3], 64)
		if err != nil {
			return nil, fmt.Errorf("ratios: record %d: %w", i+1, err)
		}
		rows = append(rows, Row{round, rec[1], rec[2], value})
	}
	return rows, nil
}
