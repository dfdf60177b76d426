// Package columns says which field of a struct each column of a query goes to, for the
// adapters that read rows.
package columns

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Matcher knows the types that one adapter has met.
type Matcher[F any] struct {
	Package string                         // what errors begin with
	Whole   func(t reflect.Type) bool      // a struct that takes one column as a whole
	Refuse  func(t, of reflect.Type) error // nil for a type that a field may have
	Of      func(t reflect.Type) F         // what the adapter wants to know of a field
	types   sync.Map                       // of reflect.Type to *record[F]
}

// A Field is where a column goes.
type Field[F any] struct {
	Index  []int // as in reflect.StructField; empty for a type that takes one column
	Offset uintptr
	Type   reflect.Type
	Of     F
}

// record describes one type.
type record[F any] struct {
	t     reflect.Type
	whole bool
	names map[string]int // into fields; those of a tag begin with =
	// fields are in the order in which positions count.
	fields []Field[F]
	err    error
	plans  atomic.Pointer[[]plan[F]] // of the queries that were met, at most mostPlans
}

// A plan is which fields the columns of one query go to.
type plan[F any] struct {
	names  []string
	fields []Field[F]
}

// mostPlans bounds what queries that are made up at run time leave behind.
const mostPlans = 64

// ByName returns the fields for columns with these names. It is given back what it
// returned before, for the same names: don't change it. Names may be used again.
func (m *Matcher[F]) ByName(t reflect.Type, names []string) ([]Field[F], error) {
	r := m.record(t)
	if r.err != nil {
		return nil, r.err
	}
	known := r.plans.Load()
	if known != nil {
		for i := range *known {
			if p := &(*known)[i]; slices.Equal(p.names, names) {
				return p.fields, nil
			}
		}
	}
	fields, err := m.match(r, names)
	if err != nil {
		return nil, err
	}
	var all []plan[F]
	if known != nil {
		all = (*known)[max(0, len(*known)+1-mostPlans):]
	}
	all = append(slices.Clip(all), plan[F]{slices.Clone(names), fields})
	r.plans.CompareAndSwap(known, &all) // another one's plan may win: this only saves time
	return fields, nil
}

// ByPosition returns the fields of t as they stand in it, for n columns.
func (m *Matcher[F]) ByPosition(t reflect.Type, n int) ([]Field[F], error) {
	r := m.record(t)
	if r.err != nil {
		return nil, r.err
	}
	if r.whole {
		return m.one(r, n)
	}
	if len(r.fields) != n {
		return nil, fmt.Errorf("%s: %d columns for the %d fields of %v; give fields that have none the tag db:\"-\"", m.Package, n, len(r.fields), t)
	}
	return r.fields, nil
}

func (m *Matcher[F]) one(r *record[F], n int) ([]Field[F], error) {
	if n != 1 {
		return nil, fmt.Errorf("%s: %d columns for a %v, which takes one; select one, or read into a struct", m.Package, n, r.t)
	}
	return r.fields, nil
}

func (m *Matcher[F]) record(t reflect.Type) *record[F] {
	if r, ok := m.types.Load(t); ok {
		return r.(*record[F])
	}
	r := &record[F]{t: t, names: map[string]int{}}
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

// add enters the fields of t, which is at in r.t. As in Go, the outermost of those with
// one name counts, and among equals the first.
func (m *Matcher[F]) add(r *record[F], t reflect.Type, at Field[F]) {
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, tagged := sf.Tag.Lookup("db")
		tag, _, _ = strings.Cut(tag, ",")
		if tagged && tag == "-" || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		f := Field[F]{Index: append(slices.Clip(at.Index), i), Offset: at.Offset + sf.Offset, Type: sf.Type}
		if sf.Anonymous && !tagged {
			inner := sf.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && !m.Whole(inner) {
				if inner != sf.Type {
					r.err = fmt.Errorf("%s: %v embeds the pointer %v; embed the struct itself, or give the field the tag db:\"-\"", m.Package, r.t, sf.Type)
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
		name := "=" + tag
		if !tagged {
			name = plainName(sf.Name)
		}
		r.fields = append(r.fields, f)
		if other, taken := r.names[name]; !taken || len(f.Index) < len(r.fields[other].Index) {
			r.names[name] = len(r.fields) - 1
		}
	}
}

// plainName is how names of columns and of fields without a tag are compared.
func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

func (m *Matcher[F]) match(r *record[F], names []string) ([]Field[F], error) {
	if r.whole {
		return m.one(r, len(names))
	}
	fields := make([]Field[F], len(names))
	for i, name := range names {
		at, ok := r.names["="+name]
		if !ok {
			at, ok = r.names[plainName(name)]
		}
		if !ok {
			return nil, fmt.Errorf("%s: %v has no field for column %q; add one, or one with the tag db:%q, or don't select it", m.Package, r.t, name, name)
		}
		f := r.fields[at]
		for j, g := range fields[:i] {
			if slices.Equal(f.Index, g.Index) {
				return nil, fmt.Errorf("%s: columns %q and %q both go to field %s of %v; give one another name, with AS",
					m.Package, names[j], name, r.t.FieldByIndex(f.Index).Name, r.t)
			}
		}
		fields[i] = f
	}
	return fields, nil
}
