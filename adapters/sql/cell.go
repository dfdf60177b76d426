package arenasql

import (
	"bytes"
	"database/sql"
	"errors"
	"reflect"
	"strconv"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/arenareflect"
)

// reader reads the rows of one query. It is allocated in the arena.
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
	n := len(plan.Fields)
	r := reader{arena.MakeSlice[cell](a, n, n), arena.MakeSlice[any](a, n, n)}
	for i := range plan.Fields {
		f := &plan.Fields[i]
		r.cells[i] = cell{arena: a, field: &f.Of, index: f.Index, direct: f.Of.kind == other, raw: rawColumns && (f.Of.kind == text || f.Of.kind == blob)}
	}
	return r, nil
}

// read reads the current row of rows into *row.
//
// The destination of each column is a cell, or its rawCell, which stores the types that it supports. If one
// gets another value, the row is scanned again with the field itself as the destination, so that database/sql
// or the driver converts the value or returns an error. Cells that have stored their value ignore the second
// one, because a Scan method may accumulate.
func (r *reader) read(rows *sql.Rows, row any) error {
	v := reflect.ValueOf(row).Elem()
	for again := false; ; {
		for i := range r.cells {
			c := &r.cells[i]
			c.to, c.stored = v, c.stored && again
			for _, n := range c.index {
				c.to = c.to.Field(n)
			}
			switch {
			case c.direct:
				r.dest[i] = c.to.Addr().Interface()
			case c.raw:
				r.dest[i] = (*rawCell)(c)
			default:
				r.dest[i] = c
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
			unknown := c.raw && !c.stored // the driver does not support rawCell, at least for this column
			again = again || c.missed || unknown
			c.direct, c.raw, c.missed = c.direct || c.missed, c.raw && !unknown, false
		}
		if !again {
			return err
		}
	}
}

// A cell is a destination of Rows.Scan. As a sql.Scanner it gets the driver's own value, whose memory Rows
// keeps the driver from reusing meanwhile.
type cell struct {
	arena    *arena.Arena
	field    *field
	index    []int
	to       reflect.Value // in the current row
	raw      bool          // the destination is a *rawCell
	direct   bool          // the destination is the field itself
	missed   bool          // the value needs database/sql or the driver
	stored   bool          // the row's value is stored
	panicked any
}

var (
	errMissed   = errors.New("arenasql: left to database/sql")
	errPanicked = errors.New("arenasql: panic")
)

// Scan implements sql.Scanner. A panic would leave Rows locked, so it continues after Rows.Scan has returned.
func (c *cell) Scan(src any) (err error) {
	if c.stored {
		return nil
	}
	defer c.end(&err)
	if c.field.kind == scanner {
		return c.scan(src)
	}
	if src == nil && (c.field.ptr || c.field.null) {
		c.to.SetZero()
		return nil
	}
	to, value := c.variable()
	if c.field.kind == document {
		stored, err := c.decode(value, src)
		if err != nil {
			return err
		}
		c.missed = !stored
	} else {
		c.missed = !c.store(value, src)
	}
	if c.missed {
		return errMissed
	}
	c.set(to)
	return nil
}

// end is deferred by the methods that scan.
func (c *cell) end(err *error) {
	if v := recover(); v != nil {
		c.panicked, *err = v, errPanicked
	}
	c.stored = *err == nil
}

// variable returns the variable of the field, newly allocated if the field is a pointer, and its value.
func (c *cell) variable() (to, value reflect.Value) {
	to = c.to
	if c.field.ptr {
		to = arenareflect.New(c.arena, to.Type().Elem()).Elem()
	}
	if c.field.null {
		return to, to.Field(0)
	}
	return to, to
}

// set completes the field after the value was stored in variable to.
func (c *cell) set(to reflect.Value) {
	if c.field.null {
		to.Field(1).SetBool(true)
	}
	if c.field.ptr {
		c.to.Set(to.Addr())
	}
}

// A rawCell is a destination for drivers that scan into it themselves, which they can since Go 1.27. pgx
// passes text and bytes to its method without a copy on the heap.
type rawCell cell

// ScanBytes implements pgtype.BytesScanner. b is nil for NULL.
func (r *rawCell) ScanBytes(b []byte) (err error) {
	c := (*cell)(r)
	if b == nil {
		return c.Scan(nil)
	}
	if c.stored {
		return nil
	}
	defer c.end(&err)
	to, value := c.variable()
	if c.field.kind == text {
		value.SetString(c.arena.AllocBytesToString(b))
	} else {
		value.SetBytes(arena.CloneSlice(c.arena, b))
	}
	c.set(to)
	return nil
}

// decode decodes a JSON document into a map, a struct or a slice. Slices in other formats, such as
// PostgreSQL's arrays, are left to the driver.
func (c *cell) decode(to reflect.Value, src any) (stored bool, err error) {
	var doc []byte
	switch s := src.(type) {
	case string:
		doc = arena.MakeSliceUninit[byte](c.arena, len(s), len(s))
		copy(doc, s)
	case []byte:
		doc = s
	case nil:
		if to.Kind() == reflect.Struct {
			return false, nil
		}
		to.SetZero()
		return true, nil
	default:
		return false, nil
	}
	if to.Kind() == reflect.Slice && !bytes.HasPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte("[")) {
		return false, nil
	}
	to.SetZero()
	if err := arenajson.Unmarshal(c.arena, doc, to.Addr().Interface()); err != nil {
		var over *arena.LimitError
		if errors.As(err, &over) {
			panic(over)
		}
		return false, err
	}
	return true, nil
}

// scan calls the field's own Scan method. If the field is a pointer, its variable is in the arena.
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

// store stores src, the driver's value, in to, and reports whether it could. Other combinations of types, and
// numbers that overflow, are left to database/sql.
func (c *cell) store(to reflect.Value, src any) bool {
	switch s := src.(type) {
	case string:
		switch c.field.kind {
		case text:
			to.SetString(s) // allocated by the driver
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
			if (s == 0 || s == 1) && to.Type() == boolType { // other types take bools only
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
				// Round the shortest decimal, like database/sql.
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
