package escape

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Types of the standard library whose fields do not show the memory that they refer to:
//
//	weak.Pointer    refers to a word of the runtime, which holds the address
//	unique.Handle   refers to a value of the runtime, which may have pointers and interfaces
//
// All other types that hide a pointer contain an unsafe.Pointer, a uintptr, a chan or a func; see opOpaque.

// isHidden reports whether struct type t is one of these types, or a type defined as one, such as
// type id unique.Handle[string].
func isHidden(t reflect.Type) bool { return hiddenPackage(t) != "" }

// hiddenPackage returns the package of such a type, to which its unexported fields belong, and "" for other types.
func hiddenPackage(t reflect.Type) string {
	if n := t.NumField(); n != 0 {
		if path := t.Field(n - 1).PkgPath; path == "weak" || path == "unique" {
			return path
		}
	}
	return ""
}

// hides reports whether the value at p, whose slot is opHidden, leads into the region. A nil weak pointer
// leads nowhere.
func (c *copier) hides(s *slot, p Pointer) bool {
	v := reflect.New(s.typ).Elem() // p may be on the stack
	v.Set(xunsafe.Value(s.typ, p))
	switch path := hiddenPackage(s.typ); {
	case v.IsZero():
		return false // a zero Handle has no value
	case s.typ.PkgPath() == path:
		return c.reaches(v.MethodByName("Value").Call(nil)[0])
	case path == "unique":
		return c.reaches(v.Field(0).Elem())
	}
	return true // the target of a type defined as a weak.Pointer is unknown
}

// reaches reports whether v, of a comparable type, contains an address in the region. It does not follow
// pointers, because heap memory is shared.
func (c *copier) reaches(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		return c.find(v.Pointer()) >= 0
	case reflect.String:
		return c.find(xunsafe.Number(xunsafe.TextOf(v.String()))) >= 0
	case reflect.Interface:
		return !v.IsNil() && c.reaches(v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if c.reaches(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if c.reaches(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
