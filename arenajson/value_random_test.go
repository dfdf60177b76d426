package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ebbpool/arena"
)

// The model of a document is its decoded form by encoding/json, with numbers as json.Number and arrays behind
// pointers, so that two references to one array see each other's changes as Values do.

func modelOf(x any) any {
	switch x := x.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, v := range x {
			m[k] = modelOf(v)
		}
		return m
	case []any:
		list := make([]any, len(x))
		for i := range x {
			list[i] = modelOf(x[i])
		}
		return &list
	case *[]any:
		return modelOf(*x)
	}
	return x
}

func decodeModel(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var x any
	err := d.Decode(&x)
	return modelOf(x), err
}

func modelGet(x any, path ...any) (any, bool) {
	for _, p := range path {
		switch in := x.(type) {
		case map[string]any:
			name, _ := p.(string)
			var ok bool
			if x, ok = in[name]; !ok {
				return nil, false
			}
		case *[]any:
			i, ok := p.(int)
			if !ok || i < 0 || i >= len(*in) {
				return nil, false
			}
			x = (*in)[i]
		default:
			return nil, false
		}
	}
	return x, true
}

// modelSet sets x, and reports whether Set would.
func modelSet(in, x any, path ...any) bool {
	for i, p := range path {
		last := i == len(path)-1
		switch at := in.(type) {
		case map[string]any:
			name, ok := p.(string)
			if !ok {
				return false
			}
			next, ok := at[name]
			if !last && !ok {
				for _, p := range path[i+1:] {
					if _, ok := p.(string); !ok {
						return false
					}
				}
				next = map[string]any{}
				at[name] = next
			}
			if last {
				at[name] = x
			}
			in = next
		case *[]any:
			k, ok := p.(int)
			if !ok || k < 0 || k >= len(*at) {
				return false
			}
			if last {
				(*at)[k] = x
			}
			in = (*at)[k]
		default:
			return false
		}
	}
	return len(path) > 0
}

func modelDelete(in any, path ...any) {
	if len(path) == 0 {
		return
	}
	in, _ = modelGet(in, path[:len(path)-1]...)
	switch at := in.(type) {
	case map[string]any:
		if name, ok := path[len(path)-1].(string); ok {
			delete(at, name)
		}
	case *[]any:
		if k, ok := path[len(path)-1].(int); ok && k >= 0 && k < len(*at) {
			*at = slices.Delete(*at, k, k+1)
		}
	}
}

// modelMerge returns the merge of b into a. It changes a only if apply is set.
func modelMerge(a, b any, apply bool) (any, bool) {
	class := func(x any) string {
		switch x.(type) {
		case map[string]any:
			return "object"
		case *[]any:
			return "array"
		}
		return fmt.Sprintf("%T", x)
	}
	switch {
	case b == nil:
		return a, true
	case a == nil:
		return modelOf(b), true
	case class(a) != class(b):
		return nil, false
	}
	switch a := a.(type) {
	case map[string]any:
		for k, v := range b.(map[string]any) {
			old, have := a[k]
			x := modelOf(v)
			if have {
				var ok bool
				if x, ok = modelMerge(old, v, apply); !ok {
					return nil, false
				}
			}
			if apply {
				a[k] = x
			}
		}
		return a, true
	case *[]any:
		l := *b.(*[]any)
		switch {
		case len(l) == 0:
		case len(*a) == 0:
			if apply {
				*a = *modelOf(b).(*[]any)
			}
		case len(*a) != len(l):
			return nil, false
		default:
			for i := range l {
				x, ok := modelMerge((*a)[i], l[i], apply)
				if !ok {
					return nil, false
				}
				if apply {
					(*a)[i] = x
				}
			}
		}
		return a, true
	}
	return b, true
}

// An editor edits documents at random.
type editor struct {
	*rand.Rand
	a, b *arena.Arena
}

var editNames = []string{"a", "b", "c", "long name of a member", "é\"\\\n<", "\x00", ""}

// text returns a random document, with duplicate names, escapes and spaces.
func (e *editor) text(depth int) string {
	space := func() string { return []string{"", "", "", " ", "\n\t", "\r"}[e.IntN(6)] }
	quoted := func() string {
		s := editNames[e.IntN(len(editNames))]
		if e.IntN(4) == 0 {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
			return `"` + b.String() + `"`
		}
		b, _ := json.Marshal(s)
		return string(b)
	}
	var in string
	switch k := e.IntN(10); {
	case depth > 0 && k < 4:
		var b strings.Builder
		n := e.IntN(5)
		if e.IntN(20) == 0 {
			n = 20 + e.IntN(40)
		}
		for i := range n {
			if i > 0 {
				b.WriteString("," + space())
			}
			name := quoted()
			if n > 10 {
				name = fmt.Sprintf(`"%c%d"`, 'a'+e.IntN(3), e.IntN(n))
			}
			b.WriteString(name + space() + ":" + space() + e.text(depth-1))
		}
		in = "{" + space() + b.String() + space() + "}"
	case depth > 0 && k < 7:
		var list []string
		for range e.IntN(5) {
			list = append(list, e.text(depth-1))
		}
		in = "[" + space() + strings.Join(list, space()+","+space()) + space() + "]"
	case k == 7:
		in = []string{"true", "false", "null", "null"}[e.IntN(4)]
	case k == 8:
		in = quoted()
	default:
		in = []string{"0", "-1.5", "12345678901234567890", "1e5", "2.50"}[e.IntN(5)]
	}
	return in + space()
}

// path returns a random path in x, which may lead nowhere.
func (e *editor) path(x any) (path []any) {
	for {
		switch in := x.(type) {
		case map[string]any:
			if e.IntN(4) == 0 {
				return path
			}
			name := editNames[e.IntN(len(editNames))]
			if e.IntN(3) > 0 && len(in) > 0 {
				n := e.IntN(len(in))
				var all []string
				for k := range in {
					all = append(all, k)
				}
				slices.Sort(all)
				name = all[n]
			}
			path = append(path, name)
			x = in[name]
		case *[]any:
			if e.IntN(4) == 0 {
				return path
			}
			i := e.IntN(len(*in)+2) - 1
			path = append(path, i)
			if i < 0 || i >= len(*in) {
				return path
			}
			x = (*in)[i]
		default:
			for e.IntN(8) == 0 {
				path = append(path, []any{"a", "b", 0, "new"}[e.IntN(4)])
			}
			return path
		}
	}
}

// A handle is a Value that is kept while the document changes.
type handle struct {
	v     Value
	model any
	path  []any // the path at which it was found
}

func related(a, b []any) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// run edits doc by up to steps operations and compares it with the model after each.
func (e *editor) run(t *testing.T, doc []byte, steps int) {
	root, err := Parse(e.a, doc)
	want, wrong := decodeModel(doc)
	if wrong != nil || !json.Valid(doc) || !utf8.Valid(doc) {
		if err == nil {
			t.Fatalf("Parse accepts %q", doc)
		}
		return
	}
	if err != nil {
		t.Fatalf("Parse(%q): %v", doc, err)
	}
	pristine, _ := Parse(nil, doc)
	handles := []handle{{root, want, nil}}
	var touched [][]any
	for range steps {
		h := handles[e.IntN(len(handles))]
		path := e.path(h.model)
		all := slices.Concat(h.path, path)
		before := string(root.AppendTo(nil))
		check := func(what string, err error, ok bool) {
			t.Helper()
			if (err == nil) != ok {
				t.Fatalf("%s at %q of %q: %v, want %v", what, path, before, err, ok)
			}
			if err != nil && string(root.AppendTo(nil)) != before {
				t.Fatalf("%s at %q of %q failed, and changed it to %s", what, path, before, root.AppendTo(nil))
			}
		}
		switch e.IntN(8) {
		case 0:
			x, ok := modelGet(h.model, path...)
			v := h.v.Get(path...)
			if v.Exists() != ok {
				t.Fatalf("Get(%q) of %q exists: %v, want %v", path, before, v.Exists(), ok)
			}
			sameAsModel(t, v, x)
			var decoded any
			if err := v.Decode(&decoded, UseNumber); ok && (err != nil || !reflect.DeepEqual(decoded, plainOf(x))) {
				t.Fatalf("Decode of %q: %v, %v", v.Raw(), decoded, err)
			}
			if v.Kind() == KindObject || v.Kind() == KindArray {
				handles = append(handles, handle{v, x, all})
			}
		case 1, 2: // a value of another document or of this one
			var v Value
			var x any
			from := handles[e.IntN(len(handles))]
			if e.IntN(2) == 0 {
				text := []byte(e.text(2))
				v, err = Parse([]*arena.Arena{e.a, e.b, nil}[e.IntN(3)], text)
				if err != nil {
					t.Fatal(err)
				}
				x, _ = decodeModel(text)
				from = handle{v, x, nil}
			}
			at := e.path(from.model)
			x, ok := modelGet(from.model, at...)
			x = modelOf(x)
			v = from.v.Get(at...)
			touched = append(touched, all)
			if e.IntN(3) == 0 {
				in, isArray := modelGet(h.model, path...)
				list, _ := in.(*[]any)
				isArray = isArray && list != nil
				check("Append", h.v.Append(v, path...), ok && isArray)
				if ok && isArray {
					*list = append(*list, x)
				}
				break
			}
			err := h.v.Set(v, path...)
			if ok {
				ok = modelSet(h.model, x, path...)
			}
			check("Set", err, ok)
		case 3:
			x, _ := decodeModel([]byte(e.text(1)))
			touched = append(touched, all)
			err := h.v.Set(plainOf(x), path...)
			check("Set of a Go value", err, modelSet(h.model, x, path...))
		case 4:
			touched = append(touched, all[:max(len(all)-1, 0)])
			err := h.v.Delete(path...)
			modelDelete(h.model, path...)
			check("Delete", err, len(path) > 0)
		default:
			text := []byte(e.text(3))
			if e.IntN(2) == 0 {
				text = root.AppendTo(nil)
			}
			w, err := Parse([]*arena.Arena{e.a, e.b, nil}[e.IntN(3)], text)
			if err != nil {
				t.Fatal(err)
			}
			x, _ := decodeModel(text)
			if at := e.path(x); e.IntN(2) == 0 && modelSet(x, json.Number("99"), at...) {
				if err := w.Set(99, at...); err != nil {
					t.Fatal(err)
				}
			}
			from := handles[e.IntN(len(handles))]
			if at := e.path(from.model); e.IntN(3) == 0 && from.v.Get(at...).Exists() { // perhaps a part of itself
				w = from.v.Get(at...)
				x, _ = modelGet(from.model, at...)
				x = modelOf(x)
			}
			touched = append(touched, all)
			in, have := modelGet(h.model, path...)
			ok := true
			if have {
				_, ok = modelMerge(in, x, false)
				if _, isObject := in.(map[string]any); ok && len(path) == 0 && !isObject && x != nil {
					_, ok = in.(*[]any)
				}
			}
			err = h.v.Merge(w, path...)
			switch {
			case ok && have:
				if merged, _ := modelMerge(in, x, true); len(path) > 0 {
					modelSet(h.model, merged, path...)
				}
			case ok:
				ok = modelSet(h.model, x, path...)
			}
			if !have && len(path) == 0 || h.v.n == nil {
				ok = false
			}
			check("Merge", err, ok)
		}
		sameAsModel(t, root, want)
	}
	for _, h := range handles {
		sameAsModel(t, h.v, h.model)
	}
	if t.Failed() {
		return
	}
	for range 5 {
		x, _ := decodeModel(doc)
		path := e.path(x)
		if !slices.ContainsFunc(touched, func(other []any) bool { return related(path, other) }) {
			if got, want := root.Get(path...).Raw(), pristine.Get(path...).Raw(); got != want {
				t.Fatalf("%q of %q was not touched, and is %q", path, doc, got)
			}
		}
	}
}

// plainOf returns a model as encoding/json decodes it.
func plainOf(x any) any {
	switch x := x.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, v := range x {
			m[k] = plainOf(v)
		}
		return m
	case *[]any:
		list := []any{}
		for _, v := range *x {
			list = append(list, plainOf(v))
		}
		return list
	}
	return x
}

// sameAsModel compares v with its model: the text of v, and a walk over it.
func sameAsModel(t *testing.T, v Value, model any) {
	t.Helper()
	if !v.Exists() {
		return
	}
	text := v.AppendTo(nil)
	got, err := decodeModel(text)
	if err != nil || !reflect.DeepEqual(plainOf(got), plainOf(model)) || v.Raw() != string(text) {
		want, _ := json.Marshal(plainOf(model))
		t.Fatalf("the document is %q (%v), want %q", text, err, want)
	}
	if walked := plainOf(walk1(v)); !reflect.DeepEqual(walked, plainOf(model)) {
		t.Fatalf("a walk over %q sees %v", text, walked)
	}
}

func walk1(v Value) any {
	switch v.Kind() {
	case KindObject:
		m := map[string]any{}
		for k, w := range v.Object() {
			if _, twice := m[k]; twice || v.Get(k).Raw() != w.Raw() {
				return "member " + k + " is not one"
			}
			m[k] = walk1(w)
		}
		if v.Len() != len(m) {
			return "wrong Len"
		}
		return m
	case KindArray:
		list := []any{}
		for i, w := range v.Array() {
			if i != len(list) || v.Get(i).Raw() != w.Raw() {
				return "elements out of order"
			}
			list = append(list, walk1(w))
		}
		if v.Len() != len(list) {
			return "wrong Len"
		}
		return &list
	case KindTrue, KindFalse:
		return v.Bool()
	case KindString:
		return v.String()
	case KindNumber:
		return json.Number(v.String())
	}
	return nil
}

// Randomly edited documents equal a model made of encoding/json's values.
func TestValueRandomEdits(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	for i := range rounds {
		e := &editor{rand.New(rand.NewPCG(uint64(i), 46)), a, b}
		if i%5 == 0 {
			e.a = nil
		}
		e.run(t, []byte(e.text(4)), 12)
		if t.Failed() {
			t.Fatalf("round %d", i)
		}
		a.Reset()
		b.Reset()
	}
}

func FuzzValue(f *testing.F) {
	for _, doc := range []string{users, `{"a":{"b":[1,2,{"c":null}]},"a":[]}`, `[[],{},""]`, "\"\xff\"", `{"\u0061":1,"a":2}`, `1`} {
		f.Add([]byte(doc), uint64(1))
	}
	a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	f.Fuzz(func(t *testing.T, doc []byte, seed uint64) {
		e := &editor{rand.New(rand.NewPCG(seed, 1)), a, b}
		e.run(t, doc, 8)
		a.Reset()
		b.Reset()
	})
}
