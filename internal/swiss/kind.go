package swiss

import (
	"reflect"
	"sync"
)

// kind is how the keys of a type are hashed.
type kind uint8

const (
	unknown kind = iota // not determined yet
	word                // 1, 2, 4 or 8 bytes, equal exactly if their bytes are
	few                 // a word in a table of one group, which needs only a tag
	plain               // other sizes, equal exactly if their bytes are
	text                // strings
	float32s
	float64s
	other // all other types, hashed by hash/maphash
)

// kinds caches the kinds of structs and arrays, which take a recursive walk to determine.
var kinds sync.Map // of reflect.Type to kind

// kindOf returns the kind of K.
func kindOf[K comparable]() kind {
	t := reflect.TypeFor[K]()
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint64, reflect.Uint32:
		return word
	case reflect.String:
		return text
	case reflect.Float32:
		return float32s
	case reflect.Float64:
		return float64s
	case reflect.Array, reflect.Struct:
		if k, ok := kinds.Load(t); ok {
			return k.(kind)
		}
		k := kindByBytes(t)
		kinds.Store(t, k)
		return k
	}
	return kindByBytes(t)
}

func kindByBytes(t reflect.Type) kind {
	if !isPlain(t) {
		return other
	}
	switch t.Size() {
	case 1, 2, 4, 8:
		return word
	}
	return plain
}

// isPlain reports whether values of the comparable type t are equal exactly if their bytes are.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Chan, reflect.Pointer, reflect.UnsafePointer,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		var size uintptr
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || !isPlain(f.Type) { // == ignores blank fields
				return false
			}
			size += f.Type.Size()
		}
		return size == t.Size() // otherwise t has padding
	}
	return false
}
