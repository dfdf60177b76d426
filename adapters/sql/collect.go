// Package arenasql reads the rows of a query, by package database/sql, into an arena:
//
//	rows, err := db.QueryContext(ctx, "select id, name from customers")
//	if err != nil {
//		return err
//	}
//	customers, err := arenasql.Collect[Customer](a, rows)
//
// The slice, the structs and copies of the driver's memory are in the arena. Values that the driver allocates itself
// stay on the heap.
package arenasql

import (
	"database/sql"

	"github.com/ebbpool/arena"
)

// Collect returns the remaining rows of the result set as a slice in a, or on the heap if a is nil. It closes rows,
// unless another result set follows: then call NextResultSet, or Close. The slice is nil if there are no rows, and if
// there is an error, which may be one of Next.
//
// If T is a struct, each column is stored in the field that it matches: by the db tag, exactly or else without case, or
// by the name of a field without a tag, without case and underscores. Fields of embedded structs count as fields of the
// outer struct; the tag "-" leaves a field out. If several fields match a column, the outermost is set, and the last of
// those. A column "team.id" is of the field ID of the struct in the field Team, if there is no field with this name. A
// column without a field, two columns of one name, an embedded pointer, and a field of type sql.RawBytes are errors.
// Fields without a column stay zero. Any other T, time.Time and types with a Scan method included, takes one column.
//
// Values and errors are those of Rows.Scan, and maps, structs and slices, which it refuses, are read from JSON by
// arenajson. In a are
//   - bytes, and the text of drivers that have it as bytes, as MySQL's and, since Go 1.27, pgx's. No field refers to
//     memory that the driver reuses. If a driver allocates a string, as SQLite's, it stays on the heap;
//   - the variables of pointers, which are nil for NULL;
//   - the results of JSON.
//
// The rest is as in database/sql: conversions, such as of a number to text, and the values of interfaces and Scan
// methods are on the heap. As always, a Scan method must copy bytes that it keeps.
//
// A row costs no allocation if no column needs a conversion: integers and floats into fields of any size, text, bytes,
// times and booleans, and all of those as a sql.Null type or as a pointer. If a limit of a is exceeded, Collect closes
// rows and panics with the *arena.LimitError.
func Collect[T any](a *arena.Arena, rows *sql.Rows) ([]T, error) {
	done := false
	defer func() {
		if !done {
			rows.Close() // the error or panic matters more than Close's
		}
	}()
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
	done = true // Next closes rows after the last result set
	return all, nil
}

// One returns the first remaining row as Collect does, and ignores the others of the result set. It closes rows, unless
// there was one row only and another result set follows. Without a row the error is sql.ErrNoRows.
func One[T any](a *arena.Arena, rows *sql.Rows) (*T, error) {
	done := false
	defer func() {
		if !done {
			rows.Close()
		}
	}()
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
	if done = !rows.Next(); done {
		if err := rows.Err(); err != nil {
			return nil, err
		}
	} else if err := rows.Close(); err != nil {
		return nil, err
	}
	return one, nil
}
