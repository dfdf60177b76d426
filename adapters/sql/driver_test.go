package arenasql_test

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"testing"
)

// A table is a driver whose only query returns fixed rows. It keeps the bytes of a row in a buffer that it
// reuses, like real drivers.
type table struct {
	columns []string
	rows    [][]driver.Value
	fails   error // after the last row
	repeat  int   // how often the rows are repeated
	closed  int
	unclean error // returned by Close
	more    int   // number of further result sets with the same rows
}

func (t *table) open(tb testing.TB) *sql.DB {
	db := sql.OpenDB(t)
	tb.Cleanup(func() { db.Close() })
	return db
}

func (t *table) query(tb testing.TB, db *sql.DB) *sql.Rows {
	tb.Helper()
	rows, err := db.Query("")
	if err != nil {
		tb.Fatal(err)
	}
	return rows
}

func (t *table) Connect(context.Context) (driver.Conn, error) { return t, nil }
func (t *table) Driver() driver.Driver                        { return nil }
func (t *table) Prepare(string) (driver.Stmt, error)          { return t, nil }
func (t *table) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (t *table) Close() error                                 { return nil }
func (t *table) NumInput() int                                { return 0 }
func (t *table) Exec([]driver.Value) (driver.Result, error)   { return nil, errors.ErrUnsupported }
func (t *table) Query([]driver.Value) (driver.Rows, error) {
	r := &tableRows{t: t, left: max(t.repeat, 1) * len(t.rows), more: t.more}
	for _, row := range t.rows {
		own := slices.Clone(row)
		for i, v := range row {
			if b, ok := v.([]byte); ok && b != nil {
				own[i] = bytes.Repeat([]byte{'#'}, len(b))
			}
		}
		r.own = append(r.own, own)
	}
	return r, nil
}

type tableRows struct {
	t    *table
	left int
	at   int
	more int
	own  [][]driver.Value // bytes are in the driver's memory
}

func (r *tableRows) Columns() []string { return r.t.columns }

func (r *tableRows) Close() error {
	r.spoil()
	r.t.closed++
	return r.t.unclean
}

func (r *tableRows) HasNextResultSet() bool { return r.more > 0 }
func (r *tableRows) NextResultSet() error {
	if r.more == 0 {
		return io.EOF
	}
	r.more--
	r.left = len(r.t.rows)
	return nil
}

// spoil overwrites a driver's memory.
func (r *tableRows) spoil() {
	for _, row := range r.own {
		for _, v := range row {
			b, _ := v.([]byte)
			for i := range b {
				b[i] = '#'
			}
		}
	}
}

func (r *tableRows) Next(dest []driver.Value) error {
	r.spoil()
	if r.left == 0 {
		if r.t.fails != nil {
			return r.t.fails
		}
		return io.EOF
	}
	r.left--
	n := r.at % len(r.own)
	r.at++
	for i, v := range r.own[n] {
		if b, ok := v.([]byte); ok {
			copy(b, r.t.rows[n][i].([]byte))
		}
		dest[i] = v
	}
	return nil
}
