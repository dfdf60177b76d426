package arenapgx

import (
	"database/sql"
	"encoding"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/ebbpool/arena/internal/columns"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/jackc/pgx/v5/pgtype"
)

// matcher knows the structs that rows were read into.
var matcher = columns.Matcher[shape]{
	Package: "arenapgx",
	Whole: func(t reflect.Type) bool {
		return t == timeType || t.PkgPath() == pgtypePath || t == reflect.TypeFor[big.Int]() || scansItself(t)
	},
	Refuse: func(t, of reflect.Type) error {
		if t == reflect.TypeFor[sql.RawBytes]() || t == reflect.TypeFor[pgtype.DriverBytes]() || t == reflect.TypeFor[pgtype.PreallocBytes]() {
			return fmt.Errorf("arenapgx: %v has a %v, which would show memory that pgx uses again; use []byte", of, t)
		}
		return nil
	},
	Of: shapeOf,
}

// whole knows the types that one column was read into.
var whole = columns.Matcher[shape]{Package: matcher.Package, Whole: func(reflect.Type) bool { return true }, Refuse: matcher.Refuse, Of: shapeOf}

const pgtypePath = "github.com/jackc/pgx/v5/pgtype"

var (
	timeType    = reflect.TypeFor[time.Time]()
	numericType = reflect.TypeFor[pgtype.Numeric]()
	bytesType   = reflect.TypeFor[[]byte]()
	uuidType    = reflect.TypeFor[[16]byte]()
)

// shape is a field's type, taken apart: a pointer, what may be NULL, and the value.
type shape struct {
	whole    reflect.Type
	inner    reflect.Type // what a pointer points to, or whole
	value    reflect.Type // what is read: at the address of inner
	ptr      bool
	nullable bool          // inner is a value and whether it is valid
	valid    uintptr       // where it says so
	scans    bool          // value has methods for reading, which pgx calls
	elem     *shape        // of a slice
	mem      *machine.Type // of an element: whole
}

func shapeOf(t reflect.Type) shape {
	s := shape{whole: t, inner: t}
	if t.Kind() == reflect.Pointer {
		s.ptr = true
		s.inner = t.Elem()
	}
	s.value = s.inner
	if v, ok := nullable(s.inner); ok {
		s.nullable, s.valid, s.value = true, v.Offset, s.inner.Field(0).Type
	}
	s.scans = s.value != timeType && s.value != numericType && scansItself(s.value)
	if s.value.Kind() == reflect.Slice && s.value != bytesType && !s.scans {
		if e := s.value.Elem(); e.Kind() != reflect.Slice || e == bytesType {
			elem := shapeOf(e)
			elem.mem = machine.TypeOf(e)
			s.elem = &elem
		}
	}
	return s
}

// isTime reports whether s is a time, and not that of another type of pgtype than name.
func (s *shape) isTime(name string) bool {
	return s.value == timeType && (s.inner.PkgPath() != pgtypePath || s.inner.Name() == name)
}

// nullable returns the field that reports whether a value of type t is one, where t is a
// type of database/sql or pgtype that has its value in its first field.
func nullable(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct || t == numericType {
		return reflect.StructField{}, false
	}
	switch {
	case t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null"):
		switch v := t.Field(0).Type; v.Kind() {
		case reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer:
			if v != timeType {
				return reflect.StructField{}, false
			}
		}
	case t.PkgPath() == pgtypePath:
		switch t.Name() {
		case "Text", "Bool", "Int2", "Int4", "Int8", "Float4", "Float8", "Date", "Timestamp", "Timestamptz", "UUID":
		default:
			return reflect.StructField{}, false
		}
	default:
		return reflect.StructField{}, false
	}
	return t.FieldByName("Valid")
}

// scanners are the interfaces by which pgx lets a type read its own values.
var scanners = []reflect.Type{
	reflect.TypeFor[sql.Scanner](), reflect.TypeFor[encoding.TextUnmarshaler](), reflect.TypeFor[encoding.BinaryUnmarshaler](),
	reflect.TypeFor[pgtype.TextScanner](), reflect.TypeFor[pgtype.BytesScanner](), reflect.TypeFor[pgtype.BoolScanner](),
	reflect.TypeFor[pgtype.Int64Scanner](), reflect.TypeFor[pgtype.Float64Scanner](), reflect.TypeFor[pgtype.NumericScanner](),
	reflect.TypeFor[pgtype.DateScanner](), reflect.TypeFor[pgtype.TimestampScanner](), reflect.TypeFor[pgtype.TimestamptzScanner](),
	reflect.TypeFor[pgtype.UUIDScanner](), reflect.TypeFor[pgtype.ArraySetter](),
}

func scansItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	if p.NumMethod() == 0 {
		return false
	}
	for _, s := range scanners {
		if p.Implements(s) {
			return true
		}
	}
	return false
}
