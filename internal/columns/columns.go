// Package columns maps the columns of a query to the fields of a struct, for the adapters that read rows.
//
// A Matcher describes each struct type once (record), and each set of column names once (Plan). ByPosition needs only
// the record; ByName looks up the plan, or makes one by asking each field for its column.
package columns

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Matcher caches the types and queries that one adapter has used.
type Matcher[F any] struct {
	Package  string                         // prefix of errors
	Outer    bool                           // of several fields for one column, set the outermost instead of the last
	Pointers bool                           // fields may point to structs with columns
	Whole    func(t reflect.Type) bool      // reports whether a struct type takes one column
	Refuse   func(t, of reflect.Type) error // returns nil if a field of struct type of may have type t
	Of       func(t reflect.Type) F         // describes a field type to the adapter
	types    sync.Map                       // of reflect.Type to *record[F]
}

// A Plan is the result of ByName. It is shared and must not be changed.
type Plan[F any] struct {
	Fields  []Field[F] // one for each column
	Structs []Struct   // structs that pointers in the row point to, outer ones first
	Missing string     // name of the first field without a column
	names   []string
}

// A Field is the destination of a column.
type Field[F any] struct {
	In     int   // the number of the struct in Plan.Structs plus one, or 0 for the row itself
	Index  []int // as in reflect.StructField, within that struct; empty for a type that takes one column
	Offset uintptr
	Type   reflect.Type
	Of     F
	name   string // from the tag or, without underscores, from the Go field
	tagged bool
}

// A Struct is a struct with columns to which a field points.
type Struct struct {
	In     int   // position of the pointer, as in Field
	Index  []int // likewise
	Offset uintptr
	Type   reflect.Type // type of the struct
}

// record describes one type.
type record[F any] struct {
	t      reflect.Type
	whole  bool
	fields []Field[F] // in the order of positions; fields of embedded structs count as their own
	err    error
	plans  atomic.Pointer[[]*Plan[F]]
}

// mostPlans limits the memory for queries composed at run time.
const mostPlans = 64

// ByName returns the plan for columns with these names. It keeps a copy of names.
func (m *Matcher[F]) ByName(t reflect.Type, names []string) (*Plan[F], error) {
	r := m.record(t)
	if r.err != nil {
		return nil, r.err
	}
	known := r.plans.Load()
	if known != nil {
		for _, p := range *known {
			if slices.Equal(p.names, names) {
				return p, nil
			}
		}
	}
	p, err := m.plan(r, slices.Clone(names))
	if err != nil {
		return nil, err
	}
	var all []*Plan[F]
	if known != nil {
		all = (*known)[max(0, len(*known)+1-mostPlans):]
	}
	all = append(slices.Clip(all), p)
	r.plans.CompareAndSwap(known, &all) // a concurrent plan may win, and this one is made again
	return p, nil
}

// ByPosition returns the fields of t in their order, for n columns.
func (m *Matcher[F]) ByPosition(t reflect.Type, n int) ([]Field[F], error) {
	r := m.record(t)
	switch {
	case r.err != nil:
		return nil, r.err
	case r.whole:
		return m.one(r, n)
	case len(r.fields) != n:
		return nil, fmt.Errorf("%s: %d columns for the %d fields of %v", m.Package, n, len(r.fields), t)
	}
	return r.fields, nil
}

func (m *Matcher[F]) one(r *record[F], n int) ([]Field[F], error) {
	if n != 1 {
		return nil, fmt.Errorf("%s: %d columns for a %v, want 1", m.Package, n, r.t)
	}
	return r.fields, nil
}

func (m *Matcher[F]) record(t reflect.Type) *record[F] {
	if r, ok := m.types.Load(t); ok {
		return r.(*record[F])
	}
	r := &record[F]{t: t}
	if t.Kind() != reflect.Struct || m.Whole(t) {
		r.whole = true
		r.fields = []Field[F]{{Type: t, Of: m.Of(t)}}
		r.err = m.Refuse(t, t)
	} else {
		m.add(r, t, Field[F]{})
	}
	known, _ := m.types.LoadOrStore(t, r)
	return known.(*record[F])
}

// add adds the fields of t, which is the field at of r.t, or r.t itself.
func (m *Matcher[F]) add(r *record[F], t reflect.Type, at Field[F]) {
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, tagged := sf.Tag.Lookup("db")
		tag, _, _ = strings.Cut(tag, ",")
		if tagged && tag == "-" || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		f := Field[F]{Index: append(slices.Clip(at.Index), i), Offset: at.Offset + sf.Offset, Type: sf.Type, name: tag, tagged: tagged}
		if sf.Anonymous && !tagged {
			inner := sf.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && !m.Whole(inner) {
				if inner != sf.Type {
					r.err = fmt.Errorf("%s: %v embeds the pointer %v", m.Package, r.t, sf.Type)
					return
				}
				m.add(r, inner, f)
				continue
			}
		}
		if !sf.IsExported() {
			continue
		}
		if err := m.Refuse(sf.Type, r.t); err != nil {
			r.err = err
			return
		}
		f.Of = m.Of(sf.Type)
		if !tagged {
			f.name = withoutUnderscores(sf.Name)
		}
		r.fields = append(r.fields, f)
	}
}

func withoutUnderscores(s string) string { return strings.ReplaceAll(s, "_", "") }

// matches reports whether name, or its first part if the field is a struct, names the field. Unless exact is
// set, case is ignored.
func (f *Field[F]) matches(name string, exact bool) bool {
	switch {
	case !f.tagged:
		return strings.EqualFold(withoutUnderscores(name), f.name)
	case exact:
		return name == f.name
	}
	return strings.EqualFold(name, f.name)
}

// column returns the index in names of the field's column, or -1. Exact matches come first, so that tags can
// distinguish quoted names.
func (f *Field[F]) column(names []string) int {
	if f.tagged {
		if i := slices.Index(names, f.name); i >= 0 {
			return i
		}
	}
	return slices.IndexFunc(names, func(name string) bool { return f.matches(name, false) })
}

// columnsBelow returns the columns of the field's own fields: their names without the field's name and the
// dot, and their numbers. Exact matches come first.
func (f *Field[F]) columnsBelow(names []string, numbers []int) (rest []string, of []int) {
	for _, exact := range []bool{true, false} {
		for i, name := range names {
			dot := strings.IndexByte(name, '.')
			if f.tagged {
				dot = len(f.name)
			}
			if dot >= 0 && dot < len(name) && name[dot] == '.' && f.matches(name[:dot], exact) && !slices.Contains(of, numbers[i]) {
				rest, of = append(rest, name[dot+1:]), append(of, numbers[i])
			}
		}
	}
	return rest, of
}

// plan finds the fields of the named columns field by field, as pgx does.
func (m *Matcher[F]) plan(r *record[F], names []string) (*Plan[F], error) {
	p := &Plan[F]{names: names}
	if r.whole {
		var err error
		p.Fields, err = m.one(r, len(names))
		return p, err
	}
	p.Fields = make([]Field[F], len(names))
	numbers := make([]int, len(names))
	for i := range numbers {
		numbers[i] = i
	}
	var err error
	if p.Missing, err = m.fill(p, r, Field[F]{}, names, numbers); err != nil {
		return nil, err
	}
	for i := range names {
		if p.Fields[i].Type == nil {
			return nil, m.unmatched(p, r, i)
		}
	}
	return p, nil
}

// fill adds the fields of r, which is the struct outer, as destinations of columns. It returns the name of
// the first field without a column.
func (m *Matcher[F]) fill(p *Plan[F], r *record[F], outer Field[F], names []string, numbers []int) (missing string, err error) {
	for _, f := range r.fields {
		f.In, f.Offset, f.Index = outer.In, outer.Offset+f.Offset, slices.Concat(outer.Index, f.Index)
		if i := f.column(names); i >= 0 {
			if to := &p.Fields[numbers[i]]; !m.Outer || to.Type == nil || len(f.Index) <= len(to.Index) {
				*to = f
			}
			continue
		}
		without := f.name
		if t := m.structOf(f.Type); t != nil {
			if rest, of := f.columnsBelow(names, numbers); len(rest) > 0 {
				inner := m.record(t)
				if inner.err != nil {
					return "", inner.err
				}
				at := f
				if t != f.Type {
					p.Structs = append(p.Structs, Struct{f.In, f.Index, f.Offset, t})
					at = Field[F]{In: len(p.Structs)}
				}
				below, err := m.fill(p, inner, at, rest, of)
				if err != nil {
					return "", err
				}
				if without = ""; below != "" {
					without = f.name + "." + below
				}
			}
		}
		if missing == "" {
			missing = without
		}
	}
	return missing, nil
}

// structOf returns the struct type of a field whose own fields may have columns, or nil.
func (m *Matcher[F]) structOf(t reflect.Type) reflect.Type {
	if m.Pointers && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || m.Whole(t) {
		return nil
	}
	return t
}

// unmatched returns the error for column i, which has no field.
func (m *Matcher[F]) unmatched(p *Plan[F], r *record[F], i int) error {
	for _, f := range r.fields {
		if !f.matches(p.names[i], false) {
			continue
		}
		for j, g := range p.Fields {
			if g.In == 0 && slices.Equal(f.Index, g.Index) {
				return fmt.Errorf("%s: columns %q and %q for field %s of %v", m.Package, p.names[j], p.names[i], r.t.FieldByIndex(f.Index).Name, r.t)
			}
		}
	}
	return fmt.Errorf("%s: no field of %v for column %q", m.Package, r.t, p.names[i])
}
