// Package arenapgx reads the rows of a pgx query into an arena, like pgx.CollectRows does on the heap:
//
//	rows, _ := conn.Query(ctx, "select id, name, tags from customers")
//	customers, err := arenapgx.Collect[Customer](a, rows)
//
// The slice, the structs and the contents of their fields are in the arena: text, bytes, arrays, numerics,
// and the result of JSON. Values that pgx decodes itself stay on the heap: types with a Scan method, the text
// format, ranges, intervals, numerics of more than 14 digits, and custom codecs.
package arenapgx

import (
	"iter"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/jackc/pgx/v5"
)

// Collect returns the remaining rows as a slice in a, or on the heap if a is nil, and closes rows. The slice is nil if
// there are no rows or there is an error. The error may be Query's: as with pgx.CollectRows, it need not be checked
// before.
//
// If T is a struct, columns and fields are matched as by pgx.RowToStructByName: by the db tag, exactly or else without
// case, or by the name of a field without a tag, without case and underscores. Fields of embedded structs count as
// fields of the outer struct; the tag "-" leaves a field out. If several fields match a column, the last one is set. A
// column without a field, a field without a column, two columns of one name, and an embedded pointer are errors. A T
// that is no struct, time.Time, the types of package pgtype, and types with methods for scanning take one column.
//
// A column named "team.id" is of the field ID of the struct in the field Team, if there is no field with this name.
// Team may be a pointer, which is nil in rows in which all columns of its struct are NULL.
//
// Values and errors are those of Rows.Scan. In a, without an allocation on the heap, are: text and types like it as
// strings; bytea, and text, as bytes; bool; integers and floats of any size; numeric as a float, an integer or a
// pgtype.Numeric of at most 14 digits; uuid as bytes or text; date, timestamp and timestamptz; one-dimensional arrays of
// those as slices; and each of them as a pointer or as a nullable type of package sql or pgtype. JSON and JSONB are read
// by arenajson. The rest is left to pgx, on the heap: intervals, ranges, types with a Scan method of their own, columns
// in pgx's text format, codecs that replace pgx's own, and rows that are not from a connection, as those of pgxmock.
//
// If a limit of a is exceeded, Collect closes rows and panics with the *arena.LimitError.
func Collect[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return appendRows[T](a, nil, rows, byName)
}

// CollectLax is Collect, except that fields without a column stay zero, as with pgx.RowToStructByNameLax.
func CollectLax[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return appendRows[T](a, nil, rows, byNameLax)
}

// CollectByPos is Collect with the columns in the order of T's fields. Their numbers must be equal.
func CollectByPos[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return appendRows[T](a, nil, rows, byPosition)
}

// CollectTo is Collect for rows of one column, which is read into the whole of a T, as by pgx.RowTo: JSON, JSONB or a
// composite type into a struct, for example. The attributes of a composite go to the exported fields of the struct, by
// position. Its type must be registered with the connection, by LoadType, or it is left to pgx.
//
// If *T is a pgx.RowScanner or a pgtype.CompositeIndexScanner, its methods read the row or the composite.
func CollectTo[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return appendRows[T](a, nil, rows, asWhole)
}

// AppendRows appends the remaining rows to s, as Collect reads them, and closes rows. Like [arena.Append] it grows s in
// a. If there is an error, it returns s without them.
func AppendRows[T any](a *arena.Arena, s []T, rows pgx.Rows) ([]T, error) {
	return appendRows(a, s, rows, byName)
}

// One returns the first remaining row as Collect does, ignores the others, and closes rows. Without a row the error is
// pgx.ErrNoRows.
func One[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, byName, false)
}

// OneLax is One, except that fields without a column stay zero.
func OneLax[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, byNameLax, false)
}

// OneByPos is One with the columns in the order of T's fields.
func OneByPos[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, byPosition, false)
}

// OneTo is One for rows of one column, as CollectTo is Collect.
func OneTo[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, asWhole, false)
}

// CollectExactlyOne is One, except that further rows are the error pgx.ErrTooManyRows.
func CollectExactlyOne[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, byName, true)
}

// All returns an iterator over the remaining rows, each read as by Collect into a T of its own in a. It ends with an
// error, and a nil *T, or after the last row, and closes rows, also if the loop is left.
//
// Between rows it keeps nothing in a: to read a large result in little memory, let the loop's body reset an arena that
// is for the rows alone.
func All[T any](a *arena.Arena, rows pgx.Rows) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		defer rows.Close()
		var r *reader
		for rows.Next() {
			x, err := readOne[T](a, nil, rows, &r, byName)
			if !yield(x, err) || err != nil {
				return
			}
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// readOne reads a row into a new T, by *r, which it makes first if it is nil.
func readOne[T any](a, tables *arena.Arena, rows pgx.Rows, r **reader, match matching) (*T, error) {
	if *r == nil {
		var err error
		if *r, err = newReader(a, tables, rows, reflect.TypeFor[T](), match); err != nil {
			return nil, err
		}
	}
	x := arena.New[T](a)
	if err := (*r).read(rows, pointerTo(x)); err != nil {
		return nil, err
	}
	return x, nil
}

func appendRows[T any](a *arena.Arena, s []T, rows pgx.Rows, match matching) ([]T, error) {
	defer rows.Close()
	all := s
	var r *reader
	for rows.Next() {
		if r == nil {
			var err error
			if r, err = newReader(a, a, rows, reflect.TypeFor[T](), match); err != nil {
				return s, err
			}
		}
		var zero T
		all = arena.Append(a, all, zero)
		if err := r.read(rows, pointerTo(&all[len(all)-1])); err != nil {
			return s, err
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return s, err
	}
	return all, nil
}

func one[T any](a *arena.Arena, rows pgx.Rows, match matching, exactly bool) (*T, error) {
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, pgx.ErrNoRows
	}
	var r *reader
	x, err := readOne[T](a, a, rows, &r, match)
	if err != nil {
		return nil, err
	}
	if exactly && rows.Next() {
		return nil, pgx.ErrTooManyRows
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return x, nil
}
