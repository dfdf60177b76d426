package arenajson

import (
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// viaReflect says that nothing is known about what an interface looks like inside.
var viaReflect = !machine.LayoutOK

// typed is what programs of both directions know of their type.
type typed struct {
	typ     reflect.Type
	size    uintptr         // in bytes
	pointer xunsafe.Pointer // the word that an interface has of the type of a pointer to it
}

func typedOf(t reflect.Type) typed {
	x := reflect.Zero(reflect.PointerTo(t)).Interface()
	return typed{t, t.Size(), xunsafe.WordsOf(&x).Type}
}

// address is a pointer to the value at p, as reflect.NewAt makes it: without its look for the
// type of that.
func (t *typed) address(p xunsafe.Pointer) (x any) {
	if viaReflect {
		return reflect.NewAt(t.typ, p).Interface()
	}
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: t.pointer, Data: p}
	return x
}

// at is the value at p, which can be set.
func (t *typed) at(p xunsafe.Pointer) reflect.Value { return reflect.ValueOf(t.address(p)).Elem() }
