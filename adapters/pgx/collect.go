// Package arenapgx reads the rows of a pgx query into an arena, as pgx.CollectRows does
// on the heap:
//
//	rows, _ := conn.Query(ctx, "select id, name, tags from customers")
//	customers, err := arenapgx.Collect[Customer](a, rows)
//
// The slice, the structs and all that lies in their fields are in the arena: text,
// bytes, arrays, numbers of type numeric, and what JSON becomes. On the heap stay what
// is left to pgx: types with a Scan method, its text format, ranges, intervals, numerics
// of more than 14 digits, codecs of your own.
package arenapgx

import (
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/jackc/pgx/v5"
)

// Collect returns all that is left of rows as a slice in a, or on the heap if a is nil,
// and closes rows. The slice is nil where there are no rows or there is an error, which
// may be that of Query: as with pgx.CollectRows, it need not be asked for before.
//
// Where T is a struct, each column goes to the field with that name: the one that its
// db tag says or, without a tag, its Go name, with letters of either case and without
// underscores. Fields of embedded structs count as fields of the outer one; the tag "-"
// leaves a field out. A column without a field, two columns of one name, and an embedded
// pointer are errors. A field without a column stays zero. Any other T, time.Time and
// the types of package pgtype included, takes the one column that there must be.
//
// Values and errors are those of Rows.Scan. These combinations cost no allocation, and
// lie in a: text and types like it as strings; bytea, and text, as bytes; bool; integers and
// floats of any size; numeric as a float, an integer or a pgtype.Numeric of at most 14
// digits; uuid as bytes or text; date, timestamp and timestamptz; one-dimensional arrays
// of those as slices; and each of them as a pointer or as a type of package sql or pgtype
// that may be NULL. JSON and JSONB are read by arenajson. All else, such as intervals,
// ranges, types with a Scan method of their own and columns in pgx's text format, is left
// to pgx, on the heap; so is a codec that was registered in place of pgx's own.
//
// A limit of a that is reached panics with the *arena.LimitError; rows is closed then.
func Collect[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return collect[T](a, rows, byName)
}

// CollectByPos is Collect, with the columns in the order of T's fields. There must be as
// many of them.
func CollectByPos[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return collect[T](a, rows, byPosition)
}

// One returns the first row that is left as Collect would, lets go of the others, and
// closes rows. Where there is none the error is pgx.ErrNoRows.
func One[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, byName)
}

// OneByPos is One, with the columns in the order of T's fields.
func OneByPos[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, byPosition)
}

// CollectTo is Collect for rows of one column, which is read into the whole of a T, as
// pgx.RowTo does: into a struct, too, where the column is JSON, JSONB or a composite type.
// A composite's attributes go to the exported fields of the struct, by position; its type
// has to be registered with the connection, by LoadType, or all of it is pgx's matter.
func CollectTo[T any](a *arena.Arena, rows pgx.Rows) ([]T, error) {
	return collect[T](a, rows, asWhole)
}

// OneTo is One for rows of one column, as CollectTo is Collect.
func OneTo[T any](a *arena.Arena, rows pgx.Rows) (*T, error) {
	return one[T](a, rows, asWhole)
}

func collect[T any](a *arena.Arena, rows pgx.Rows, match matching) (all []T, err error) {
	defer rows.Close()
	var r reader
	for rows.Next() {
		if r.columns == nil {
			if r, err = newReader(a, rows, reflect.TypeFor[T](), match); err != nil {
				return nil, err
			}
		}
		var zero T
		all = arena.Append(a, all, zero)
		if err := r.read(rows, pointerTo(&all[len(all)-1])); err != nil {
			return nil, err
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

func one[T any](a *arena.Arena, rows pgx.Rows, match matching) (*T, error) {
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, pgx.ErrNoRows
	}
	r, err := newReader(a, rows, reflect.TypeFor[T](), match)
	if err != nil {
		return nil, err
	}
	x := arena.New[T](a)
	if err := r.read(rows, pointerTo(x)); err != nil {
		return nil, err
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return x, nil
}
