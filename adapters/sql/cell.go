package arenasql

import (
	"database/sql"
	"errors"
	"reflect"
	"strconv"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
)

// reader reads the rows of one query. It is in the arena of the rows.
type reader struct {
	cells []cell
	dest  []any
}

func newReader[T any](a *arena.Arena, rows *sql.Rows) (reader, error) {
	names, err := rows.Columns()
	if err != nil {
		return reader{}, err
	}
	plan, err := matcher.ByName(reflect.TypeFor[T](), names)
	if err != nil {
		return reader{}, err
	}
	fields := plan.Fields
	r := reader{arena.MakeSlice[cell](a, len(fields), len(fields)), arena.MakeSlice[any](a, len(fields), len(fields))}
	for i := range fields {
		r.cells[i] = cell{arena: a, field: &fields[i].Of, index: fields[i].Index, direct: fields[i].Of.kind == other}
	}
	return r, nil
}

// read reads the row that rows is at into what row points to, a *T.
//
// Each column has a cell for its destination, which stores the values that it knows.
// Where one gets another, the row is scanned once more, with the field itself as the
// destination: then database/sql converts, or says why it can't. Cells that have stored
// theirs do nothing then, for a Scan method may add up.
func (r *reader) read(rows *sql.Rows, row any) error {
	v := reflect.ValueOf(row).Elem()
	for again := false; ; {
		for i := range r.cells {
			c := &r.cells[i]
			c.to, c.stored = v, c.stored && again
			for _, n := range c.index {
				c.to = c.to.Field(n)
			}
			r.dest[i] = c
			if c.direct {
				r.dest[i] = c.to.Addr().Interface()
			}
		}
		err := rows.Scan(r.dest...)
		if err == nil {
			return nil
		}
		again = false
		for i := range r.cells {
			c := &r.cells[i]
			if c.panicked != nil {
				panic(c.panicked)
			}
			again = again || c.missed
			c.direct, c.missed = c.direct || c.missed, false
		}
		if !again {
			return err
		}
	}
}

// A cell is a destination of Rows.Scan, as a sql.Scanner: it sees the driver's value
// itself, while Rows keeps the driver from using its memory again.
type cell struct {
	arena    *arena.Arena
	field    *field
	index    []int
	to       reflect.Value // of the row at hand
	direct   bool          // database/sql stores, into the field itself
	missed   bool          // got what only database/sql knows how to store
	stored   bool          // has the row's value
	panicked any
}

var (
	errMissed   = errors.New("arenasql: left to database/sql")
	errPanicked = errors.New("arenasql: panic")
)

// Scan implements sql.Scanner. Rows holds a lock in the meantime, which it would never
// give back after a panic: it goes on when Rows.Scan has returned.
func (c *cell) Scan(src any) (err error) {
	if c.stored {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			c.panicked, err = v, errPanicked
		}
		c.stored = err == nil
	}()
	if c.field.kind == scanner {
		return c.scan(src)
	}
	if src == nil && (c.field.ptr || c.field.null) {
		c.to.SetZero()
		return nil
	}
	to := c.to
	if c.field.ptr {
		to = arenareflect.New(c.arena, to.Type().Elem()).Elem()
	}
	value := to
	if c.field.null {
		value = to.Field(0)
	}
	if !c.store(value, src) {
		c.missed = true
		return errMissed
	}
	if c.field.null {
		to.Field(1).SetBool(true)
	}
	if c.field.ptr {
		c.to.Set(to.Addr())
	}
	return nil
}

// scan calls the field's own Scan method. What a pointer to such a type points to lies
// in the arena.
func (c *cell) scan(src any) error {
	if !c.field.ptr {
		return c.to.Addr().Interface().(sql.Scanner).Scan(src)
	}
	if src == nil {
		c.to.SetZero()
		return nil
	}
	p := arenareflect.New(c.arena, c.to.Type().Elem())
	c.to.Set(p)
	return p.Interface().(sql.Scanner).Scan(src)
}

// store puts src, as a driver has it, into to. It reports whether it could: what is not
// listed here, and what overflows, is for database/sql.
func (c *cell) store(to reflect.Value, src any) bool {
	switch s := src.(type) {
	case string:
		switch c.field.kind {
		case text:
			to.SetString(s) // the driver made it for us; a copy would be one more
			return true
		case blob:
			if to.Type() == bytesType {
				b := arena.MakeSliceUninit[byte](c.arena, len(s), len(s))
				copy(b, s)
				to.SetBytes(b)
				return true
			}
		}
	case []byte:
		switch c.field.kind {
		case text:
			to.SetString(c.arena.AllocBytesToString(s))
			return true
		case blob:
			to.SetBytes(arena.CloneSlice(c.arena, s))
			return true
		}
	case int64:
		switch c.field.kind {
		case integer:
			if !to.OverflowInt(s) {
				to.SetInt(s)
				return true
			}
		case unsigned:
			if s >= 0 && !to.OverflowUint(uint64(s)) {
				to.SetUint(uint64(s))
				return true
			}
		case boolean:
			if (s == 0 || s == 1) && to.Type() == boolType { // into others only bools go
				to.SetBool(s == 1)
				return true
			}
		case float:
			if to.Kind() == reflect.Float64 {
				to.SetFloat(float64(s))
				return true
			}
		}
	case float64:
		if c.field.kind == float {
			if to.Kind() == reflect.Float32 && float64(float32(s)) != s {
				// As database/sql does: its shortest decimal is rounded.
				var buffer [32]byte
				f, err := strconv.ParseFloat(string(strconv.AppendFloat(buffer[:0], s, 'g', -1, 64)), 32)
				if err != nil {
					return false
				}
				s = f
			}
			to.SetFloat(s)
			return true
		}
	case bool:
		if c.field.kind == boolean {
			to.SetBool(s)
			return true
		}
	case time.Time:
		if c.field.kind == moment {
			*to.Addr().Interface().(*time.Time) = s
			return true
		}
	case nil:
		if to.Type() == bytesType {
			to.SetZero()
			return true
		}
	}
	return false
}
