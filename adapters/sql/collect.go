// Package arenasql reads the rows of a query, by package database/sql, into an arena:
//
//	rows, err := db.QueryContext(ctx, "select id, name from customers")
//	if err != nil {
//		return err
//	}
//	customers, err := arenasql.Collect[Customer](a, rows)
//
// The slice, the structs and what the package copies of the driver's memory lie in the
// arena. What the driver makes of a row before anyone scans it stays on the heap.
package arenasql

import (
	"database/sql"

	"github.com/ebbpool/arena"
)

// Collect returns all that is left of rows as a slice in a, or on the heap if a is
// nil, and closes rows. The slice is nil where there are no rows, and where there is
// an error, which may be one of Next's or Close's.
//
// Where T is a struct, each column goes to the field with that name: the one that its
// db tag says or, without a tag, its Go name, with letters of either case and without
// underscores. Fields of embedded structs count as fields of the outer one; the tag "-"
// leaves a field out. A column without a field, two columns of one name, an embedded
// pointer, and a field of type sql.RawBytes, which would show the driver's memory, are
// errors. A field without a column stays zero. Any other T, time.Time and types with a
// Scan method included, takes the one column that there must be.
//
// Values become what Rows.Scan makes of them, with its errors. In a lie
//   - bytes, and the text of drivers that have it as bytes, as those of MySQL and
//     PostgreSQL: no field refers to memory that the driver uses again. Text of a driver
//     that makes a string of it, as those of SQLite, is that string, on the heap;
//   - what fields of pointer types point to, which are nil for NULL.
//
// All else is as database/sql does it: what it converts from other types, such as a
// number to text, and what an interface or a Scan method holds lie on the heap. A Scan
// method must copy bytes that it keeps, as always.
//
// A row costs no allocation of its own where no column needs a conversion: integers
// and floats into fields of any size, text, bytes, times and booleans, and all of
// those as a sql.Null type or as a pointer. A limit of a that is reached panics with the
// *arena.LimitError; rows is closed then.
func Collect[T any](a *arena.Arena, rows *sql.Rows) ([]T, error) {
	defer rows.Close() // also where there is an error already, or a panic, which matters more than its own
	r, err := newReader[T](a, rows)
	if err != nil {
		return nil, err
	}
	var all []T
	for rows.Next() {
		var zero T
		all = arena.Append(a, all, zero)
		if err := r.read(rows, &all[len(all)-1]); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return all, nil
}

// One returns the first row that is left as Collect would, lets go of the others, and
// closes rows. Where there is none the error is sql.ErrNoRows.
func One[T any](a *arena.Arena, rows *sql.Rows) (*T, error) {
	defer rows.Close() // as in Collect
	r, err := newReader[T](a, rows)
	if err != nil {
		return nil, err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, sql.ErrNoRows
	}
	one := arena.New[T](a)
	if err := r.read(rows, one); err != nil {
		return nil, err
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return one, nil
}
