package arenapgx

import (
	"fmt"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/columns"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// matching is how columns are matched with fields.
type matching uint8

const (
	byName matching = iota
	byNameLax
	byPosition
	asWhole // one column for the whole T
)

// reader reads the rows of one query.
type reader struct {
	arena   *arena.Arena
	columns []column
	structs []structPointer
	dest    []any // for rows.Scan, if it reads the rows
}

// column is the destination of a column.
type column struct {
	in      int // index of the struct in reader.structs plus one, or 0 for the row itself
	offset  uintptr
	decoder decoder
}

// structPointer is a pointer to a struct with its own columns. In rows in which all of these are NULL it is
// nil.
type structPointer struct {
	in     int // as in column
	offset uintptr
	typ    reflect.Type // of the struct
	to     pointer      // the struct of the current row
}

// newReader returns a reader of rows into a. Its tables are in tables, which is nil if a may be reset between rows.
func newReader(a, tables *arena.Arena, rows pgx.Rows, t reflect.Type, match matching) (*reader, error) {
	described := rows.FieldDescriptions()
	r := arena.New[reader](tables)
	r.arena = a
	m := typeMap(rows)
	var fields []columns.Field[target]
	var err error
	switch {
	case scansRow(t) && (match == asWhole || t.Kind() != reflect.Struct || matcher.Whole(t)):
		fields = []columns.Field[target]{{Type: t, Of: target{whole: t}}}
	case match == byPosition:
		fields, err = matcher.ByPosition(t, len(described))
	case match == asWhole:
		fields, err = whole.ByPosition(t, len(described))
	default:
		names := arena.MakeSlice[string](tables, len(described), len(described))
		for i := range described {
			names[i] = described[i].Name
		}
		var p *columns.Plan[target]
		if p, err = matcher.ByName(t, names); err != nil {
			break
		}
		if match == byName && p.Missing != "" {
			err = fmt.Errorf("arenapgx: no column for field %q of %v", p.Missing, t)
		}
		fields = p.Fields
		r.structs = arena.MakeSlice[structPointer](tables, len(p.Structs), len(p.Structs))
		for i, s := range p.Structs {
			r.structs[i] = structPointer{in: s.In, offset: s.Offset, typ: s.Type}
		}
	}
	if err != nil {
		return nil, err
	}
	if m == nil || len(fields) == 1 && scansRow(fields[0].Type) {
		r.dest = arena.MakeSlice[any](tables, len(fields), len(fields))
	}
	r.columns = arena.MakeSlice[column](tables, len(fields), len(fields))
	for i := range fields {
		c := &r.columns[i]
		c.in, c.offset, c.decoder.target = fields[i].In, fields[i].Offset, &fields[i].Of
		if r.dest == nil {
			d := &described[i]
			c.decoder.choose(a, m, d.DataTypeOID, d.Format, &fields[i].Of)
		}
	}
	return r, nil
}

// typeMap returns the type map of rows, or nil if rows is not from a connection, like a mock's.
func typeMap(rows pgx.Rows) *pgtype.Map {
	if r, ok := rows.(interface{ TypeMap() *pgtype.Map }); ok { // since pgx 5.11
		return r.TypeMap()
	}
	if conn := rows.Conn(); conn != nil {
		return conn.TypeMap()
	}
	return nil
}

func scansRow(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[pgx.RowScanner]())
}

// read reads the current row of rows into the zero T at row.
func (r *reader) read(rows pgx.Rows, row pointer) error {
	for i := range r.structs {
		r.structs[i].to = nil
	}
	if r.dest != nil {
		return r.scan(rows, row)
	}
	values := rows.RawValues()
	if len(values) != len(r.columns) {
		return fmt.Errorf("arenapgx: row has %d columns, want %d", len(values), len(r.columns))
	}
	if len(r.structs) > 0 {
		for i, v := range values {
			if v != nil {
				r.at(r.columns[i].in, row)
			}
		}
	}
	for i := range r.columns {
		c := &r.columns[i]
		base := row
		if c.in > 0 {
			if base = r.structs[c.in-1].to; base == nil {
				continue
			}
		}
		if err := c.decoder.scan(values[i], field(base, c.offset)); err != nil {
			return scanError(i, rows.FieldDescriptions()[i].Name, err)
		}
	}
	return nil
}

// scanError returns pgx's error for a column. Its field FieldName is newer than pgx 5.7.
func scanError(i int, name string, err error) error {
	e := pgx.ScanArgError{ColumnIndex: i, Err: err}
	if f := reflect.ValueOf(&e).Elem().FieldByName("FieldName"); f.IsValid() {
		f.SetString(name)
	}
	return e
}

// at returns struct number in, and allocates it if needed.
func (r *reader) at(in int, row pointer) pointer {
	if in == 0 {
		return row
	}
	s := &r.structs[in-1]
	if s.to == nil {
		outer := r.at(s.in, row)
		s.to = arenareflect.New(r.arena, s.typ).UnsafePointer()
		*at[pointer](field(outer, s.offset)) = s.to
	}
	return s.to
}

// scan reads a row with Scan: for a T with ScanRow, and for rows with unknown types.
func (r *reader) scan(rows pgx.Rows, row pointer) error {
	if len(r.structs) > 0 {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		for i, v := range values {
			if v != nil {
				r.at(r.columns[i].in, row)
			}
		}
	}
	for i := range r.columns {
		c := &r.columns[i]
		base := row
		if c.in > 0 {
			base = r.structs[c.in-1].to
		}
		if r.dest[i] = nil; base != nil {
			r.dest[i] = reflect.NewAt(c.decoder.target.whole, field(base, c.offset)).Interface()
		}
	}
	return rows.Scan(r.dest...)
}

// A decoder decodes the values of one column, or the elements of one array.
type decoder struct {
	arena  *arena.Arena
	target *target
	decode decodeFunc // nil if pgx decodes the values
	plain  bool       // decode sets the variable itself
	oid    uint32
	elem   *decoder // of an array
	fields []column // of a composite
	format int16
	size   int // of an integer
	types  *pgtype.Map
	plan   pgtype.ScanPlan // pgx's plan, made at first use
}

// A decodeFunc decodes src, which is not NULL, into the value at to, and reports whether it could. Unknown
// and malformed values are left to pgx.
type decodeFunc func(d *decoder, src []byte, to pointer) bool

// scan decodes src, nil for NULL, into the variable at to.
func (d *decoder) scan(src []byte, to pointer) error {
	if d.plain && src != nil {
		if d.decode(d, src, to) {
			return nil
		}
		return d.slow(src, to)
	}
	if d.decode == nil {
		return d.slow(src, to)
	}
	s := d.target
	if src == nil {
		if s.ptr || s.nullable || s.value.Kind() == reflect.Slice {
			value(s.whole, to).SetZero()
			return nil
		}
		return d.slow(src, to)
	}
	inner := to
	if s.ptr {
		inner = arenareflect.New(d.arena, s.inner).UnsafePointer()
	}
	if !d.decode(d, src, inner) {
		return d.slow(src, to)
	}
	if s.nullable {
		*at[bool](field(inner, s.valid)) = true
	}
	if s.ptr {
		*at[pointer](to) = inner
	}
	return nil
}

// slow leaves a value to pgx.
func (d *decoder) slow(src []byte, to pointer) error {
	target := reflect.NewAt(d.target.whole, to).Interface()
	if d.plan == nil {
		d.plan = d.types.PlanScan(d.oid, d.format, target)
	}
	return d.plan.Scan(src, target)
}
