package arenasql

import (
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A field is where a column goes.
type field struct {
	index []int // as in reflect.StructField; empty for a T that is no struct of columns
	kind  kind
	null  bool // a sql.Null type
	ptr   bool
}

// A kind says how a value is stored without the help of database/sql.
type kind uint8

const (
	other kind = iota // with its help, always
	text
	blob
	integer
	unsigned
	float
	boolean
	moment
	scanner
)

var (
	scannerType = reflect.TypeFor[sql.Scanner]()
	timeType    = reflect.TypeFor[time.Time]()
	rawType     = reflect.TypeFor[sql.RawBytes]()
	byteType    = reflect.TypeFor[byte]()
	bytesType   = reflect.TypeFor[[]byte]()
)

// fieldOf says how a value of type t is stored.
func fieldOf(t reflect.Type) field {
	if isNull(t) {
		f := fieldOf(t.Field(0).Type)
		if f.ptr || f.null || f.kind == scanner {
			return field{kind: scanner}
		}
		f.null = true
		return f
	}
	if reflect.PointerTo(t).Implements(scannerType) {
		return field{kind: scanner}
	}
	if t.Kind() == reflect.Pointer {
		f := fieldOf(t.Elem())
		if f.ptr {
			return field{}
		}
		f.ptr = true
		return f
	}
	return field{kind: kindOf(t)}
}

func kindOf(t reflect.Type) kind {
	switch t.Kind() {
	case reflect.String:
		return text
	case reflect.Slice:
		if t.Elem() == byteType {
			return blob
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return unsigned
	case reflect.Float32, reflect.Float64:
		return float
	case reflect.Bool:
		return boolean
	}
	if t == timeType {
		return moment
	}
	return other
}

// isNull says whether t is a Null type of database/sql: a value, and whether it is
// valid.
func isNull(t reflect.Type) bool {
	return t.PkgPath() == "database/sql" && t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Null") &&
		t.NumField() == 2 && t.Field(1).Name == "Valid"
}

// record is what is known of one T.
type record struct {
	t      reflect.Type
	single bool // takes one column as a whole
	names  map[string]field
	err    error
	plans  atomic.Pointer[[]plan] // of the queries that were met, at most mostPlans
}

// A plan is which fields the columns of one query go to.
type plan struct {
	columns []string
	fields  []field
}

// mostPlans bounds what queries that are made up at run time leave behind.
const mostPlans = 64

var records sync.Map // of reflect.Type to *record

func recordOf(t reflect.Type) *record {
	if r, ok := records.Load(t); ok {
		return r.(*record)
	}
	r := &record{t: t, names: map[string]field{}}
	if f := fieldOf(t); t.Kind() != reflect.Struct || f.null || f.kind != other {
		r.single = true
		r.err = refuseRaw(t, t)
	} else {
		r.addFields(t)
	}
	known, _ := records.LoadOrStore(t, r)
	return known.(*record)
}

func refuseRaw(t, of reflect.Type) error {
	if t == rawType {
		return fmt.Errorf("arenasql: %v has a sql.RawBytes, which would show memory that the driver uses again; use []byte", of)
	}
	return nil
}

// addFields enters the fields of t, those of embedded structs after the others: as in
// Go, the outermost counts.
func (r *record) addFields(t reflect.Type) {
	type level struct {
		t     reflect.Type
		index []int
	}
	for todo := []level{{t, nil}}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		for i := range at.t.NumField() {
			sf := at.t.Field(i)
			tag, tagged := sf.Tag.Lookup("db")
			index := append(slices.Clip(at.index), i)
			if tag == "-" || !sf.IsExported() && !sf.Anonymous {
				continue
			}
			f := fieldOf(sf.Type)
			if sf.Anonymous && !tagged && f.kind == other && !f.ptr && sf.Type.Kind() == reflect.Struct {
				todo = append(todo, level{sf.Type, index})
				continue
			}
			if sf.Anonymous && !tagged && sf.Type.Kind() == reflect.Pointer && f.kind == other && sf.Type.Elem().Kind() == reflect.Struct {
				r.err = fmt.Errorf("arenasql: %v embeds the pointer %v; embed the struct itself, or give the field the tag db:\"-\"", r.t, sf.Type)
				return
			}
			if !sf.IsExported() {
				continue
			}
			if r.err = refuseRaw(sf.Type, r.t); r.err != nil {
				return
			}
			f.index = index
			name := "=" + tag
			if !tagged {
				name = plainName(sf.Name)
			}
			if _, taken := r.names[name]; !taken {
				r.names[name] = f
			}
		}
	}
}

// plainName is how names of columns and of fields without a tag are compared.
func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// plan returns where the columns of a query go.
func (r *record) plan(columns []string) ([]field, error) {
	if r.err != nil {
		return nil, r.err
	}
	known := r.plans.Load()
	if known != nil {
		for i := range *known {
			if p := &(*known)[i]; slices.Equal(p.columns, columns) {
				return p.fields, nil
			}
		}
	}
	fields, err := r.match(columns)
	if err != nil {
		return nil, err
	}
	var all []plan
	if known != nil {
		all = (*known)[max(0, len(*known)+1-mostPlans):]
	}
	all = append(slices.Clip(all), plan{slices.Clone(columns), fields})
	r.plans.CompareAndSwap(known, &all) // another one's plan may win: this is only a cache
	return fields, nil
}

func (r *record) match(columns []string) ([]field, error) {
	if r.single {
		if len(columns) != 1 {
			return nil, fmt.Errorf("arenasql: %d columns for a %v, which takes one; select one, or read into a struct", len(columns), r.t)
		}
		return []field{fieldOf(r.t)}, nil
	}
	fields := make([]field, len(columns))
	for i, name := range columns {
		f, ok := r.names["="+name]
		if !ok {
			f, ok = r.names[plainName(name)]
		}
		if !ok {
			return nil, fmt.Errorf("arenasql: %v has no field for column %q; add one, or one with the tag db:%q, or don't select it", r.t, name, name)
		}
		for j, g := range fields[:i] {
			if slices.Equal(f.index, g.index) {
				return nil, fmt.Errorf("arenasql: columns %q and %q both go to field %s of %v; give one another name, with AS",
					columns[j], name, r.t.FieldByIndex(f.index).Name, r.t)
			}
		}
		fields[i] = f
	}
	return fields, nil
}
