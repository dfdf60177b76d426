package arenajson

import (
	"encoding/json"
	"testing"
)

type (
	pointerToItself  *pointerToItself
	pointersToItself **pointersToItself
	sliceOfItself    []sliceOfItself
	mapOfItself      map[string]mapOfItself
	holderOfItself   struct {
		P *holderOfItself
		A any
	}
)

// Recursive types and cyclic values have the results of encoding/json or an error, and never exhaust the
// stack.
func TestTypesThatContainThemselves(t *testing.T) {
	for _, doc := range []string{`1`, `null`, `{}`, `[]`, `[[],[[]]]`, `{"a":{"b":{}}}`} {
		var p pointerToItself
		var q struct{ Q pointersToItself }
		if err := Unmarshal(nil, []byte(doc), &p); (err == nil) != (doc == "null") || p != nil {
			t.Errorf("%s into %T: %v, %v", doc, p, p, err)
		}
		if err := Unmarshal(nil, []byte(`{"Q":`+doc+`}`), &q); (err == nil) != (doc == "null") || q.Q != nil {
			t.Errorf("%s into %T: %v, %v", doc, q, q, err)
		}
		for _, v := range []func() any{func() any { return new(sliceOfItself) }, func() any { return new(mapOfItself) }} {
			want, got := v(), v()
			wantErr, err := json.Unmarshal([]byte(doc), want), Unmarshal(nil, []byte(doc), got)
			theirs, _ := json.Marshal(want)
			ours, marshalErr := Marshal(nil, got)
			if (err == nil) != (wantErr == nil) || marshalErr != nil || string(ours) != string(theirs) {
				t.Errorf("%s into %T: %s, %v; encoding/json has %s, %v", doc, got, ours, err, theirs, wantErr)
			}
		}
	}
	for _, v := range []any{func() any {
		var p pointerToItself
		p = &p
		return p
	}(), func() any {
		s := sliceOfItself{nil}
		s[0] = s
		return s
	}(), func() any {
		m := mapOfItself{}
		m["m"] = m
		return m
	}(), func() any {
		h := &holderOfItself{}
		h.A = h
		return h
	}(), func() any {
		x := new(any)
		*x = x
		return x
	}()} {
		if text, err := Marshal(nil, v); err == nil {
			t.Errorf("%T is written as %.100s", v, text)
		}
	}
}

// An interface that holds its own address is replaced. encoding/json does the same up to Go 1.26, and
// exhausts the stack afterwards.
func TestInterfaceThatHoldsItself(t *testing.T) {
	for _, doc := range []string{`[1]`, `{"a":1}`, `null`, `"x"`, `5`} {
		p := new(any)
		*p = p
		v := struct{ V any }{p}
		err := Unmarshal(nil, []byte(`{"V":`+doc+`}`), &v)
		if doc == "null" {
			if err != nil || v.V != nil {
				t.Errorf("null: %v, %v", v.V, err)
			}
			continue
		}
		if text, _ := Marshal(nil, *p); err != nil || v.V != any(p) || string(text) != doc {
			t.Errorf("%s: %v, *p is %s, V is p: %v", doc, err, text, v.V == any(p))
		}
		if onV2 {
			continue
		}
		q := new(any)
		*q = q
		w := struct{ V any }{q}
		if err := json.Unmarshal([]byte(`{"V":`+doc+`}`), &w); err != nil || w.V != any(q) {
			t.Errorf("%s: encoding/json has %v, %v", doc, w.V, err)
		}
	}
	// Longer cycles are an error, after which decoding continues.
	for n := 2; n < 5; n++ {
		all := make([]any, n)
		for i := range all {
			all[i] = &all[(i+1)%n]
		}
		v := struct {
			V any
			N int
		}{V: all[0]}
		if err := Unmarshal(nil, []byte(`{"V":[1,{}],"N":7}`), &v); err == nil || v.N != 7 {
			t.Errorf("a cycle of %d: %v, N is %d", n, err, v.N)
		}
		if _, err := Marshal(nil, all[0]); err == nil {
			t.Errorf("a cycle of %d is written", n)
		}
	}
}
