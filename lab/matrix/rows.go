package matrix

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Row is one value of one measurement: a line of go.csv. A measurement without
// values, such as one that crashed, is one row without a metric.
type Row struct {
	Cell
	Round    int
	Status   string
	Checksum uint64
	Value
	Detail string
}

var head = []string{"workload", "n", "subject", "build", "round", "status", "checksum", "metric", "value", "detail"}

// rowsOf are the lines of one measurement.
func rowsOf(c Cell, round int, r Result) []Row {
	row := Row{Cell: c, Round: round, Status: r.Status, Checksum: r.Checksum, Detail: r.Detail}
	if len(r.Values) == 0 {
		return []Row{row}
	}
	var rows []Row
	for _, v := range r.Values {
		row.Value = v
		rows = append(rows, row)
	}
	return rows
}

func (r Row) record() []string {
	value := ""
	if r.Metric != "" {
		value = strconv.FormatFloat(r.Value.Value, 'g', -1, 64)
	}
	build := r.Build
	if build == "" {
		build = Plain
	}
	return []string{r.Workload, strconv.Itoa(r.N), r.Subject, build, strconv.Itoa(r.Round), r.Status,
		strconv.FormatUint(r.Checksum, 16), r.Metric, value, r.Detail}
}

// WriteRows writes rows, with the heading before them if it is wanted.
func WriteRows(w io.Writer, rows []Row, heading bool) error {
	cw := csv.NewWriter(w)
	if heading {
		if err := cw.Write(head); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if err := cw.Write(r.record()); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// ReadRows reads what WriteRows wrote.
func ReadRows(r io.Reader) ([]Row, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || !slices.Equal(records[0], head) {
		return nil, fmt.Errorf("the first line must be %q", strings.Join(head, ","))
	}
	var rows []Row
	for i, rec := range records[1:] {
		row := Row{Cell: Cell{Workload: rec[0], Subject: rec[2], Build: rec[3]}, Status: rec[5], Value: Value{Metric: rec[7]}, Detail: rec[9]}
		if row.Build == Plain {
			row.Build = ""
		}
		var errs [4]error
		row.N, errs[0] = strconv.Atoi(rec[1])
		row.Round, errs[1] = strconv.Atoi(rec[4])
		row.Checksum, errs[2] = strconv.ParseUint(rec[6], 16, 64)
		if row.Metric != "" {
			row.Value.Value, errs[3] = strconv.ParseFloat(rec[8], 64)
		}
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Judge gives the status Wrong to measurements whose checksum is not the one
// that most of the subjects give for their workload and size. Such a row is no
// time: the subject did other work.
func Judge(rows []Row) []Row {
	type key struct {
		workload string
		n        int
	}
	type vote struct {
		key
		sum uint64
	}
	voters := map[vote]map[string]bool{}
	var order []vote
	for _, r := range rows {
		if r.Status != OK {
			continue
		}
		v := vote{key{r.Workload, r.N}, r.Checksum}
		if voters[v] == nil {
			voters[v] = map[string]bool{}
			order = append(order, v)
		}
		voters[v][r.Subject] = true
	}
	right := map[key]vote{}
	for _, v := range order { // in the order of the file: the first of equals
		if best, ok := right[v.key]; !ok || len(voters[v]) > len(voters[best]) {
			right[v.key] = v
		}
	}
	judged := slices.Clone(rows)
	for i, r := range judged {
		want, ok := right[key{r.Workload, r.N}]
		if ok && r.Status == OK && r.Checksum != want.sum {
			judged[i].Status = Wrong
			judged[i].Detail = fmt.Sprintf("checksum %x, the others have %x", r.Checksum, want.sum)
		}
	}
	return judged
}
