// Package cppbench makes the tables of the C++ half's README from what its
// benchmark and its instruction count have written. It measures nothing.
package cppbench

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/lab/results"
)

// ErrFormat tells that a file is not what the benchmark writes.
var ErrFormat = errors.New("cppbench: not a file of the C++ benchmark")

// Claim is a statement of the form "at most Most", by one compiler.
type Claim struct {
	Text, Compiler, Unit string
	Most                 float64
	Rounds               []float64
}

// Missed tells whether the median is above the target.
func (c Claim) Missed() bool {
	median, _, _, err := results.Spread(c.Rounds)
	return err != nil || median > c.Most
}

// ReadClaims reads what "bench --claims" writes, in the file's order.
func ReadClaims(r io.Reader) ([]Claim, error) {
	rows, err := read(r, "claim", "compiler", "at most", "unit", "round", "value")
	if err != nil {
		return nil, err
	}
	var claims []Claim
	for _, row := range rows {
		most, errMost := strconv.ParseFloat(row[2], 64)
		value, errValue := strconv.ParseFloat(row[5], 64)
		if err := cmp.Or(errMost, errValue); err != nil {
			return nil, fmt.Errorf("%w: %v: %w", ErrFormat, row, err)
		}
		i := slices.IndexFunc(claims, func(c Claim) bool { return c.Text == row[0] && c.Compiler == row[1] })
		if i < 0 {
			i = len(claims)
			claims = append(claims, Claim{Text: row[0], Compiler: row[1], Unit: row[3], Most: most})
		}
		claims[i].Rounds = append(claims[i].Rounds, value)
	}
	return claims, nil
}

// ClaimTable is a Markdown table with a line for each claim and a column for
// each compiler.
func ClaimTable(claims []Claim) (string, error) {
	var texts, compilers []string
	at := map[[2]string]Claim{}
	for _, c := range claims {
		texts, compilers = results.AppendNew(texts, c.Text), results.AppendNew(compilers, c.Compiler)
		at[[2]string{c.Text, c.Compiler}] = c
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| work | aim: at most | %s |\n", strings.Join(compilers, " | "))
	fmt.Fprintf(&b, "| --- | ---: |%s\n", strings.Repeat(" --- |", len(compilers)))
	for _, text := range texts {
		for i, compiler := range compilers {
			c, ok := at[[2]string{text, compiler}]
			if i == 0 {
				fmt.Fprintf(&b, "| %s | %s |", text, aim(at, text, compilers))
			}
			if !ok {
				b.WriteString(" not measured |")
				continue
			}
			median, lowest, highest, err := results.Spread(c.Rounds)
			if err != nil {
				return "", fmt.Errorf("%q: %w", text, err)
			}
			verdict := "holds"
			if c.Missed() {
				verdict = "missed"
			}
			fmt.Fprintf(&b, " %s (%s–%s), %s |", number(median), number(lowest), number(highest), verdict)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

func aim(at map[[2]string]Claim, text string, compilers []string) string {
	for _, compiler := range compilers {
		if c, ok := at[[2]string{text, compiler}]; ok {
			return strings.TrimSpace(number(c.Most) + " " + strings.TrimSuffix(c.Unit, "x"))
		}
	}
	return ""
}

// number has two digits after the point where they say something.
func number(v float64) string {
	if v >= 10 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	if v < 1 {
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Counts are the instructions of a call of each subject.
type Counts struct {
	Subjects  []string
	Workloads []string                // with the size
	At        map[[2]string][2]string // workload, subject: instructions, nanoseconds
}

// ReadCounts reads what bench_callgrind.sh writes.
func ReadCounts(r io.Reader) (Counts, error) {
	rows, err := read(r, "subject", "workload", "size", "instructions per call", "ns per call")
	if err != nil {
		return Counts{}, err
	}
	c := Counts{At: map[[2]string][2]string{}}
	for _, row := range rows {
		for _, field := range row[3:] {
			if _, err := strconv.ParseFloat(field, 64); err != nil {
				return Counts{}, fmt.Errorf("%w: %v: %w", ErrFormat, row, err)
			}
		}
		work := fmt.Sprintf("%s, %s B", row[1], row[2])
		c.Subjects, c.Workloads = results.AppendNew(c.Subjects, row[0]), results.AppendNew(c.Workloads, work)
		c.At[[2]string{work, row[0]}] = [2]string{row[3], row[4]}
	}
	return c, nil
}

// Markdown is a table with a line for each workload and a column for each
// subject: instructions, and the nanoseconds that they took.
func (c Counts) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| a call of | %s |\n", strings.Join(c.Subjects, " | "))
	fmt.Fprintf(&b, "| --- |%s\n", strings.Repeat(" ---: |", len(c.Subjects)))
	for _, work := range c.Workloads {
		fmt.Fprintf(&b, "| %s |", work)
		for _, subject := range c.Subjects {
			if v, ok := c.At[[2]string{work, subject}]; ok {
				fmt.Fprintf(&b, " %s, %s ns |", v[0], v[1])
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func read(r io.Reader, head ...string) ([][]string, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(head)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], head) {
		return nil, fmt.Errorf("%w: the first line is not %q", ErrFormat, strings.Join(head, ","))
	}
	return rows[1:], nil
}
