package suite

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebbpool/arena"
)

// The slow model of Escape: a text that describes everything observable about a value.
//
// Memory that is copied is identified by numbers, one per byte, in the order of the walk, not by address. So
// two texts are equal exactly if the same bytes are shared in both. Shared memory is identified by its
// address.
type description struct {
	strings.Builder
	g     memory
	copy  bool // the value is a result of Escape
	bytes map[uintptr]int
	seen  map[seenAt]bool
}

// memory classifies pointers: to values outside the arena, or inside it. isMapThere reports whether a builtin
// map existed before Escape.
type memory interface {
	shared(p unsafe.Pointer) bool
	inside(p unsafe.Pointer) bool
	isMapThere(p unsafe.Pointer) bool
}

type seenAt struct {
	p uintptr
	t reflect.Type
}

// describe describes *root, an original or a copy.
func describe(g memory, isCopy bool, root any) string {
	m := &description{g: g, copy: isCopy, bytes: map[uintptr]int{}, seen: map[seenAt]bool{}}
	m.value(reflect.ValueOf(root).Elem())
	return m.String()
}

func (m *description) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// memory describes n values of type t at p.
func (m *description) memory(p unsafe.Pointer, t reflect.Type, n int) {
	if n == 0 || t.Size() == 0 {
		m.printf("empty")
		return
	}
	if m.g.shared(p) {
		m.printf("shared %p", p)
		return
	}
	if m.copy && m.g.inside(p) {
		m.printf("in the arena")
		return
	}
	m.printf("@")
	last := -2
	for i := range t.Size() * uintptr(n) {
		number, ok := m.bytes[uintptr(p)+i]
		if !ok {
			number = len(m.bytes)
			m.bytes[uintptr(p)+i] = number
		}
		if number != last+1 {
			m.printf("%d+", number)
		}
		last = number
	}
	for i := range n {
		at := unsafe.Add(p, uintptr(i)*t.Size())
		if key := (seenAt{uintptr(at), t}); !m.seen[key] {
			m.seen[key] = true
			m.printf("{")
			m.value(reflect.NewAt(t, at).Elem())
			m.printf("}\n")
		}
	}
}

func (m *description) value(v reflect.Value) {
	switch t := v.Type(); v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			m.printf("nil")
			return
		}
		m.printf("*")
		switch p := v.UnsafePointer(); t {
		case reflect.TypeFor[*arena.Map[int, *vertex]]():
			m.mapOf(p, func(list map[string]reflect.Value) {
				for k, x := range (*arena.Map[int, *vertex])(p).All() {
					list[fmt.Sprint(k)] = reflect.ValueOf(x)
				}
			})
		case reflect.TypeFor[*arena.Map[*vertex, string]]():
			m.mapOf(p, func(list map[string]reflect.Value) {
				x := (*arena.Map[*vertex, string])(p)
				for k, text := range x.All() {
					if found, ok := x.Get(k); !ok || found != text {
						m.printf("a key is not found")
					}
					list[keyOf(k)] = reflect.ValueOf(struct {
						*vertex
						string
					}{k, text})
				}
			})
		case reflect.TypeFor[*arena.Buffer]():
			if m.isShared(p) {
				return
			}
			m.printf("%q", (*arena.Buffer)(p).String())
		default:
			m.memory(p, t.Elem(), 1)
		}
	case reflect.Slice:
		if v.IsNil() {
			m.printf("nil")
			return
		}
		m.printf("[%d]", v.Len())
		if m.copy && v.Cap() != v.Len() && t.Elem().Size() != 0 && !m.g.shared(v.UnsafePointer()) {
			m.printf("capacity %d", v.Cap())
		}
		m.memory(v.UnsafePointer(), t.Elem(), v.Len())
	case reflect.String:
		m.printf("%q", v.String())
	case reflect.Interface:
		if v.IsNil() {
			m.printf("nil")
			return
		}
		m.printf("(%v)", v.Elem().Type())
		m.value(addressable(readable(v).Elem()))
	case reflect.Map:
		if v.IsNil() {
			m.printf("nil")
			return
		}
		m.builtin(v)
	case reflect.Struct:
		for i := range v.NumField() {
			m.printf(" %s:", t.Field(i).Name)
			m.value(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			m.printf(" %d:", i)
			m.value(v.Index(i))
		}
	default:
		m.printf("%v", v)
	}
}

// readable returns v without the restriction on unexported fields.
func readable(v reflect.Value) reflect.Value {
	if v.CanInterface() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// isShared describes a map or a buffer that is outside the arena or was visited before. It reports whether it
// did.
func (m *description) isShared(p unsafe.Pointer) bool {
	if m.g.shared(p) {
		m.printf("shared %p", p)
		return true
	}
	number, ok := m.bytes[uintptr(p)]
	if !ok {
		number = len(m.bytes)
		m.bytes[uintptr(p)] = number
	}
	m.printf("@%d", number)
	return ok
}

// mapOf describes a Map by the entries listed by fill.
func (m *description) mapOf(p unsafe.Pointer, fill func(map[string]reflect.Value)) {
	if m.isShared(p) {
		return
	}
	list := map[string]reflect.Value{}
	fill(list)
	m.entries(list)
}

// entries describes entries in order of their names.
func (m *description) entries(list map[string]reflect.Value) {
	var names []string
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		m.printf(" %s:", name)
		x := reflect.New(list[name].Type()).Elem()
		x.Set(list[name])
		m.value(x)
	}
}

func keyOf(v *vertex) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprint(v.id)
}

// builtin describes a builtin map. A map that leads into the arena is copied; other maps are shared. For a
// copy, only the description of the original tells which of the two applied.
func (m *description) builtin(v reflect.Value) {
	p := v.UnsafePointer()
	if !m.copy && !m.leadsIn(readable(v), map[unsafe.Pointer]bool{}) || m.copy && m.g.isMapThere(p) {
		m.printf("shared map %p", p)
		return
	}
	if m.isShared(p) {
		return
	}
	list := map[string]reflect.Value{}
	for it := readable(v).MapRange(); it.Next(); {
		name := ""
		if it.Key().Kind() == reflect.Pointer {
			w := (*vertex)(it.Key().UnsafePointer())
			name = keyOf(w)
			list[name+" key"] = it.Key()
		} else {
			name = m.nameOf(it.Key())
		}
		list[name] = it.Value()
	}
	m.entries(list)
}

// nameOf returns the text of a key, wherever it is stored.
func (m *description) nameOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Interface:
		return m.nameOf(v.Elem())
	case reflect.Array:
		return "[" + m.nameOf(v.Index(0)) + "]"
	case reflect.Struct:
		name := v.Type().Name()
		for i := range v.NumField() {
			name += "." + m.nameOf(v.Field(i))
		}
		return name
	}
	return fmt.Sprint(v)
}

// isMapThere reports whether p is one of the graph's maps.
func (g *graph) isMapThere(p unsafe.Pointer) bool { return g.maps[p] }

// addressable returns a copy of v in a variable.
func addressable(v reflect.Value) reflect.Value {
	x := reflect.New(v.Type()).Elem()
	x.Set(v)
	return x
}

// boxOf returns the address of the non-pointer value in x.
func boxOf(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1] }

// leadsIn reports whether a value leads into the arena other than through heap memory.
func (m *description) leadsIn(v reflect.Value, seen map[unsafe.Pointer]bool) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && m.g.inside(v.UnsafePointer())
	case reflect.Slice:
		return !v.IsNil() && m.g.inside(v.UnsafePointer())
	case reflect.String:
		return m.g.inside(unsafe.Pointer(unsafe.StringData(v.String()))) // an empty string also keeps the arena's memory alive
	case reflect.Interface:
		if v.IsNil() {
			return false
		}
		x := addressable(readable(v).Elem())
		return x.Kind() == reflect.Slice && m.g.inside(boxOf(readable(v).Interface())) || m.leadsIn(x, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if m.leadsIn(v.Field(i), seen) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if m.leadsIn(v.Index(i), seen) {
				return true
			}
		}
	case reflect.Map:
		if v.IsNil() || seen[v.UnsafePointer()] {
			return false
		}
		seen[v.UnsafePointer()] = true
		for it := readable(v).MapRange(); it.Next(); {
			if m.leadsIn(addressable(it.Key()), seen) || m.leadsIn(addressable(it.Value()), seen) {
				return true
			}
		}
	}
	return false
}
