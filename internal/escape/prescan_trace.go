package escape

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// labels collects the path to a reference. To find a path, the pre-scan visits the spot of the reference
// again and stops at the reference, so it does not have to record the paths of all references.
type labels struct {
	on    bool
	want  int32 // ord of the reference
	path  []string
	found string
}

// next begins a reference. It returns true if the pre-scan is only looking for a path.
func (s *prescan) next() bool {
	s.at.ord++
	if s.on && s.at.ord == s.want {
		s.found = strings.Join(s.path, "")
	}
	return s.on
}

func (l *labels) push(text string) {
	if l.on {
		l.path = append(l.path, text)
	}
}

func (l *labels) pushIndex(i int) {
	if l.on {
		l.push("[" + strconv.Itoa(i) + "]")
	}
}

func (l *labels) pushType(t reflect.Type) {
	if l.on {
		l.push(".(" + t.String() + ")")
	}
}

func (l *labels) pushAround(t reflect.Type) {
	if l.on {
		l.push(".{the " + t.String() + " around it}")
	}
}

// pushKey adds the key of a map entry to the path.
func (l *labels) pushKey(k reflect.Value) {
	if !l.on {
		return
	}
	text := "..."
	switch k.Kind() {
	case reflect.String:
		if text = k.String(); len(text) > 40 {
			text = text[:40] + "..."
		}
		text = strconv.Quote(text)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		text = strconv.FormatInt(k.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		text = strconv.FormatUint(k.Uint(), 10)
	case reflect.Bool:
		text = strconv.FormatBool(k.Bool())
	}
	l.push("[" + text + "]")
}

func (l *labels) pop() {
	if l.on {
		l.path = l.path[:len(l.path)-1]
	}
}

// Long paths show only the first and last steps and the number of steps between.
const firstSteps, lastSteps = 12, 8

// pathTo returns an expression for the target of the reference.
func (s *prescan) pathTo(w where) string {
	var steps []where // from last to first
	for {
		steps = append(steps, w)
		if w.spot == 0 {
			break
		}
		w = s.spots[w.spot].from
	}
	text := "v"
	for i := len(steps) - 1; i >= 0; i-- {
		if i == len(steps)-1-firstSteps && i >= lastSteps {
			text += ".{" + strconv.Itoa(i-lastSteps+1) + " more}"
			i = lastSteps
			continue
		}
		text += s.step(steps[i])
	}
	return text
}

// step returns the last part of a path.
func (s *prescan) step(w where) string {
	was, at := s.labels, s.at
	s.labels = labels{on: true, want: w.ord}
	s.at = where{w.spot, w.elem, 0}
	y := s.spots[w.spot]
	var p Pointer
	if y.prog != mapHeader {
		p = xunsafe.Add(y.p, uintptr(w.elem)*y.prog.size)
	}
	s.visitOne(&y, p)
	text := s.found
	s.labels, s.at = was, at
	return text
}

func (s *prescan) panic(text string) {
	panic("arena: Escape[" + s.spots[0].prog.typ.String() + "]: " + text)
}

// refuse panics with the path to the current reference.
func (s *prescan) refuse(what string) { s.panic(s.pathTo(s.at) + " " + what) }

// betray panics because the current reference, in heap memory, leads into the region.
func (s *prescan) betray() {
	first := s.at.spot
	for up := s.spots[first].from.spot; s.spots[up].how == theirs; up = s.spots[first].from.spot {
		first = up
	}
	holder := s.pathTo(s.spots[first].from)
	s.panic(s.pathTo(s.at) + " lies in the arena, but " + holder + ", which leads to it, does not: " +
		"memory of the heap is shared and not copied; allocate " + holder + " in the arena, or escape " + s.pathTo(s.at) + " by itself")
}

// mourn panics if q was read from poisoned memory.
func (s *prescan) mourn(q Pointer) {
	if !s.strict {
		return
	}
	if f, ok := guard.ExplainPointer(xunsafe.Number(q)); ok {
		s.panic(s.pathTo(s.at) + " was read too late: " + strings.TrimPrefix(f.Text, "arena: "))
	}
}

func (s *prescan) isDead(q Pointer) bool {
	_, dead := guard.ExplainPointer(xunsafe.Number(q))
	return dead
}

// article returns the name of an opaque type with its article.
func article(t reflect.Type) string {
	if t.Kind() == reflect.UnsafePointer {
		return "an unsafe.Pointer"
	}
	return fmt.Sprintf("a %v", t)
}
