package arenapgx

import (
	"database/sql"
	"encoding"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ebbpool/arena/internal/columns"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/jackc/pgx/v5/pgtype"
)

// matcher describes the structs into which rows are read.
var matcher = columns.Matcher[target]{
	Package:  "arenapgx",
	Pointers: true,
	Whole: func(t reflect.Type) bool {
		return t == timeType || t.PkgPath() == pgtypePath || t == reflect.TypeFor[big.Int]() || scansItself(t)
	},
	Refuse: func(t, of reflect.Type) error {
		if t == reflect.TypeFor[sql.RawBytes]() || t == reflect.TypeFor[pgtype.DriverBytes]() || t == reflect.TypeFor[pgtype.PreallocBytes]() {
			return fmt.Errorf("arenapgx: %v in %v, which refers to memory that pgx reuses", t, of)
		}
		return nil
	},
	Of: targetOf,
}

// whole describes the types into which one column is read.
var whole = columns.Matcher[target]{Package: matcher.Package, Whole: func(reflect.Type) bool { return true }, Refuse: matcher.Refuse, Of: targetOf}

const pgtypePath = "github.com/jackc/pgx/v5/pgtype"

var (
	timeType    = reflect.TypeFor[time.Time]()
	numericType = reflect.TypeFor[pgtype.Numeric]()
	bytesType   = reflect.TypeFor[[]byte]()
	uuidType    = reflect.TypeFor[[16]byte]()
)

// target is the type of a field and its parts: an optional pointer to an optional nullable type of a value.
type target struct {
	whole    reflect.Type
	inner    reflect.Type // the pointer's element, or whole
	value    reflect.Type // of the variable to set, at the address of inner
	ptr      bool
	nullable bool          // inner is a struct with a value and Valid
	valid    uintptr       // the offset of Valid
	scans    bool          // value has methods for scanning, which pgx calls
	elem     *target       // of a slice
	mem      *machine.Type // of an element: whole
}

func targetOf(t reflect.Type) target {
	s := target{whole: t, inner: t}
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
			elem := targetOf(e)
			elem.mem = machine.TypeOf(e)
			s.elem = &elem
		}
	}
	return s
}

// isTime reports whether s is a time.Time or the type of pgtype with this name.
func (s *target) isTime(name string) bool {
	return s.value == timeType && (s.inner.PkgPath() != pgtypePath || s.inner.Name() == name)
}

// nullable returns the field Valid of a type of database/sql or pgtype whose value is its first field.
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

// scanners are the interfaces through which pgx lets a type decode its values.
var scanners = []reflect.Type{
	reflect.TypeFor[sql.Scanner](), reflect.TypeFor[encoding.TextUnmarshaler](), reflect.TypeFor[encoding.BinaryUnmarshaler](),
	reflect.TypeFor[pgtype.ArraySetter](), reflect.TypeFor[pgtype.BitsScanner](), reflect.TypeFor[pgtype.BoolScanner](),
	reflect.TypeFor[pgtype.BoxScanner](), reflect.TypeFor[pgtype.BytesScanner](), reflect.TypeFor[pgtype.CircleScanner](),
	reflect.TypeFor[pgtype.CompositeIndexScanner](), reflect.TypeFor[pgtype.DateScanner](), reflect.TypeFor[pgtype.Float64Scanner](),
	reflect.TypeFor[pgtype.HstoreScanner](), reflect.TypeFor[pgtype.Int64Scanner](), reflect.TypeFor[pgtype.IntervalScanner](),
	reflect.TypeFor[pgtype.LineScanner](), reflect.TypeFor[pgtype.LsegScanner](), reflect.TypeFor[pgtype.MultirangeSetter](),
	reflect.TypeFor[pgtype.NetipPrefixScanner](), reflect.TypeFor[pgtype.NumericScanner](), reflect.TypeFor[pgtype.PathScanner](),
	reflect.TypeFor[pgtype.PointScanner](), reflect.TypeFor[pgtype.PolygonScanner](), reflect.TypeFor[pgtype.RangeScanner](),
	reflect.TypeFor[pgtype.TextScanner](), reflect.TypeFor[pgtype.TIDScanner](), reflect.TypeFor[pgtype.TimeScanner](),
	reflect.TypeFor[pgtype.TimestampScanner](), reflect.TypeFor[pgtype.TimestamptzScanner](), reflect.TypeFor[pgtype.Uint32Scanner](),
	reflect.TypeFor[pgtype.UUIDScanner](),
}

func scansItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	if p.NumMethod() == 0 || slices.ContainsFunc(scanners, p.Implements) {
		return p.NumMethod() > 0
	}
	_, text := p.MethodByName("ScanTSVector") // an interface that pgx 5.7 does not have
	_, number := p.MethodByName("ScanUint64")
	return text || number
}
