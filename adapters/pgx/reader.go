package arenapgx

import (
	"errors"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/columns"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// matching is how columns find their fields.
type matching uint8

const (
	byName matching = iota
	byPosition
	asWhole // one column is all of the T
)

// reader reads the rows of one query. It lies in the arena of what it reads.
type reader struct {
	columns []column
}

// column is where a column goes, and how.
type column struct {
	offset uintptr
	way    way
}

func newReader(a *arena.Arena, rows pgx.Rows, t reflect.Type, match matching) (reader, error) {
	described := rows.FieldDescriptions()
	var fields []columns.Field[shape]
	var err error
	switch match {
	case byPosition:
		fields, err = matcher.ByPosition(t, len(described))
	case asWhole:
		fields, err = whole.ByPosition(t, len(described))
	default:
		names := arena.MakeSlice[string](a, len(described), len(described))
		for i := range described {
			names[i] = described[i].Name
		}
		fields, err = matcher.ByName(t, names)
	}
	if err != nil {
		return reader{}, err
	}
	r := reader{arena.MakeSlice[column](a, len(fields), max(len(fields), 1))}
	m := rows.TypeMap()
	for i := range fields {
		d := &described[i]
		r.columns[i].offset = fields[i].Offset
		r.columns[i].way.choose(a, m, d.DataTypeOID, d.Format, &fields[i].Of)
	}
	return r, nil
}

// read reads the row that rows is at into the T at row.
func (r *reader) read(rows pgx.Rows, row pointer) error {
	values := rows.RawValues()
	if len(values) != len(r.columns) {
		return errors.New("arenapgx: the server has sent a row with another number of columns than it had announced")
	}
	for i := range r.columns {
		c := &r.columns[i]
		if err := c.way.scan(values[i], field(row, c.offset)); err != nil {
			return pgx.ScanArgError{ColumnIndex: i, FieldName: rows.FieldDescriptions()[i].Name, Err: err}
		}
	}
	return nil
}

// A way is how the values of one column, or the elements of one array, are read.
type way struct {
	arena  *arena.Arena
	shape  *shape
	decode decoder // nil where pgx does it
	plain  bool    // decode it is, and the variable itself what it sets
	oid    uint32
	elem   *way     // of an array
	fields []column // of a composite
	format int16
	size   int // of an integer
	types  *pgtype.Map
	plan   pgtype.ScanPlan // pgx's own, made when it is needed
}

// A decoder reads src, which is not NULL, into the value at to. It reports whether it
// could: what it does not know, or what is wrong, is for pgx.
type decoder func(w *way, src []byte, to pointer) bool

// scan reads src, nil for NULL, into the variable at to.
func (w *way) scan(src []byte, to pointer) error {
	if w.plain && src != nil {
		if w.decode(w, src, to) {
			return nil
		}
		return w.slow(src, to)
	}
	if w.decode == nil {
		return w.slow(src, to)
	}
	s := w.shape
	if src == nil {
		if s.ptr || s.nullable || s.value.Kind() == reflect.Slice {
			value(s.whole, to).SetZero()
			return nil
		}
		return w.slow(src, to)
	}
	target := to
	if s.ptr {
		target = arenareflect.New(w.arena, s.inner).UnsafePointer()
	}
	if !w.decode(w, src, target) {
		return w.slow(src, to)
	}
	if s.nullable {
		*at[bool](field(target, s.valid)) = true
	}
	if s.ptr {
		*at[pointer](to) = target
	}
	return nil
}

// slow leaves a value to pgx.
func (w *way) slow(src []byte, to pointer) error {
	target := reflect.NewAt(w.shape.whole, to).Interface()
	if w.plan == nil {
		w.plan = w.types.PlanScan(w.oid, w.format, target)
	}
	return w.plan.Scan(src, target)
}
