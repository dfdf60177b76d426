package arenasql

import (
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/ebbpool/arena/internal/columns"
)

// matcher describes the structs into which rows are read.
var matcher = columns.Matcher[field]{
	Package: "arenasql",
	Outer:   true,
	Whole: func(t reflect.Type) bool {
		f := fieldOf(t)
		return f.null || f.kind != other && f.kind != document
	},
	Refuse: func(t, of reflect.Type) error {
		if t == rawType {
			return fmt.Errorf("arenasql: sql.RawBytes in %v, which refers to memory that the driver reuses", of)
		}
		return nil
	},
	Of: fieldOf,
}

// A field is how the values of a column are stored.
type field struct {
	kind kind
	null bool // a sql.Null type
	ptr  bool
}

// A kind is how a value is stored without database/sql.
type kind uint8

const (
	other kind = iota // stored by database/sql
	text
	blob
	integer
	unsigned
	float
	boolean
	moment
	document // JSON
	scanner
)

var (
	scannerType = reflect.TypeFor[sql.Scanner]()
	timeType    = reflect.TypeFor[time.Time]()
	rawType     = reflect.TypeFor[sql.RawBytes]()
	boolType    = reflect.TypeFor[bool]()
	byteType    = reflect.TypeFor[byte]()
	bytesType   = reflect.TypeFor[[]byte]()
)

// fieldOf returns how a value of type t is stored.
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
		return document
	case reflect.Map:
		return document
	case reflect.Struct:
		if t == timeType {
			return moment
		}
		return document
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return unsigned
	case reflect.Float32, reflect.Float64:
		return float
	case reflect.Bool:
		return boolean
	}
	return other
}

// isNull reports whether t is a Null type of database/sql, with a value and the field Valid.
func isNull(t reflect.Type) bool {
	return t.PkgPath() == "database/sql" && t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Null") &&
		t.NumField() == 2 && t.Field(1).Name == "Valid"
}
