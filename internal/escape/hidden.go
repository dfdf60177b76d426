package escape

import (
	"reflect"
	"strings"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Types of the standard library that lead to memory that their fields do not show:
//
//	weak.Pointer    its field leads to a word of the runtime's, which has the address
//	unique.Handle   its field leads to a value of the runtime's, which may have pointers and interfaces
//
// All others that hide a pointer have it as an unsafe.Pointer, a uintptr, a chan or a func; see opOpaque.

// isHidden reports whether t is one of these types.
func isHidden(t reflect.Type) bool {
	switch t.PkgPath() {
	case "weak":
		return strings.HasPrefix(t.Name(), "Pointer[")
	case "unique":
		return strings.HasPrefix(t.Name(), "Handle[")
	}
	return false
}

// hides reports whether the value at p, of a slot that is opHidden, leads into the region. A weak pointer
// leads nowhere if it is nil.
func (c *copier) hides(s *slot, p Pointer) bool {
	v := reflect.New(s.typ).Elem() // p may be on the stack
	v.Set(xunsafe.Value(s.typ, p))
	if v.IsZero() {
		return false // a zero Handle has no value
	}
	return c.reaches(v.MethodByName("Value").Call(nil)[0])
}

// reaches reports whether v, of a comparable type, has an address in the region. It does not follow
// pointers: memory of the heap is shared.
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
