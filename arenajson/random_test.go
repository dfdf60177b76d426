package arenajson

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"time"
)

// names are the names of fields in random structs.
var names = []string{"A", "B", "C", "Dd", "Ee", "Ff", "Name", "ID", "URL", "Émile", "Zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"}

var tags = []string{``, ``, ``, `json:"a"`, `json:"b,omitempty"`, `json:",omitempty"`, `json:",omitzero"`, `json:"c,string"`,
	`json:",string,omitempty"`, `json:"-"`, `json:"-,"`, `json:"A"`, `json:"<x>"`, `json:"x,omitzero,omitempty"`, `xml:"x" json:"y"`}

var scalars = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](),
	reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
	reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
	reflect.TypeFor[string](), reflect.TypeFor[MyInt](), reflect.TypeFor[any](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
}

// randomType returns a type of at most depth levels.
func randomType(r *rand.Rand, depth int) reflect.Type {
	if depth <= 0 {
		return scalars[r.IntN(len(scalars))]
	}
	switch r.IntN(9) {
	case 0:
		return reflect.PointerTo(randomType(r, depth-1))
	case 1:
		return reflect.SliceOf(randomType(r, depth-1))
	case 2:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-1))
	case 3:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[MyInt](), reflect.TypeFor[textKey]()}
		return reflect.MapOf(keys[r.IntN(len(keys))], randomType(r, depth-1))
	case 4:
		return reflect.TypeOf(zoo[r.IntN(len(zoo))])
	case 5:
		return scalars[r.IntN(len(scalars))]
	}
	var fields []reflect.StructField
	for i, at := range r.Perm(len(names))[:r.IntN(8)] {
		f := reflect.StructField{Name: names[at], Type: randomType(r, depth-1), Tag: reflect.StructTag(tags[r.IntN(len(tags))])}
		if r.IntN(8) == 0 {
			f.Name = fmt.Sprint("Embedded", i)
			f.Type = reflect.TypeFor[Level1]()
			if f.Anonymous = true; r.IntN(2) == 0 {
				f.Type = reflect.TypeFor[Exported]()
			}
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

// typeInAny returns the types of values that fill stores in interfaces.
var typeInAny = randomType

// textKey is a key with methods.
type textKey struct{ N int8 }

func (k textKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "<%d>", k.N), nil }
func (k *textKey) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "<%d>", &k.N)
	return err
}

var texts = []string{"", "a", "hello", "a longer text, of more than one word", "<b>&amp;</b>", "\"quoted\"\\", "\x00\x01\x1f\x7f",
	"\b\f\n\r\t", "日本語のテキスト", "ünïcödé", "\u2028\u2029", "\xff\xfe", "a\xc0\x80b", "\xed\xa0\x80", "😀 and 🎉", "\xf4\x90\x80\x80", "\xe2\x80",
	"12345678", "123456789012345\"", "1234567é", "123é", "\ufffd", "0", "-1.5e+10"}

func randomText(r *rand.Rand) string {
	s := texts[r.IntN(len(texts))]
	for r.IntN(3) == 0 {
		s += texts[r.IntN(len(texts))]
	}
	if len(s) > 0 && r.IntN(4) == 0 {
		b := []byte(s)
		b[r.IntN(len(b))] = byte(r.Uint32())
		s = string(b)
	}
	return s
}

func randomFloat(r *rand.Rand) float64 {
	switch r.IntN(6) {
	case 0:
		return 0
	case 1:
		return float64(r.IntN(2000)-1000) / 8
	case 2:
		return math.Copysign(0, -1)
	case 3:
		return float64(r.IntN(1e9)) * 1e-6
	}
	for {
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

// fill sets v, which is settable, to a random value that can be encoded. If zeros is set, some parts are
// zero, nil or empty.
func fill(r *rand.Rand, v reflect.Value, depth int, zeros bool) {
	if zeros && r.IntN(4) == 0 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *json.Number:
		*x = json.Number([]string{"0", "-12", "1.5e+10", "3.25"}[r.IntN(4)])
		return
	case *json.RawMessage:
		*x = json.RawMessage([]string{"1", " [1, 2 ]", `{"a" : "<&>" }`, `null`, "\"\u2028\""}[r.IntN(5)])
		return
	case *time.Time:
		*x = time.Unix(r.Int64N(1<<33), r.Int64N(1e9)>>r.IntN(30)).In(time.FixedZone("", (r.IntN(48)-24)*1800))
		return
	case *textKey:
		x.N = int8(r.Uint32())
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!zeros || r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v.SetInt(int64(r.Uint64()) >> r.IntN(64)); !zeros && v.IsZero() {
			v.SetInt(1)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.SetUint(r.Uint64() >> r.IntN(64)); !zeros && v.IsZero() {
			v.SetUint(1)
		}
	case reflect.Float32:
		f := float64(float32(randomFloat(r)))
		if math.IsInf(f, 0) || f == 0 {
			f = 1.25
		}
		v.SetFloat(f)
	case reflect.Float64:
		if v.SetFloat(randomFloat(r)); !zeros && v.Float() == 0 {
			v.SetFloat(2.5)
		}
	case reflect.String:
		if v.SetString(randomText(r)); !zeros && v.Len() == 0 {
			v.SetString("x")
		}
	case reflect.Pointer:
		if depth > 0 {
			p := reflect.New(v.Type().Elem())
			fill(r, p.Elem(), depth-1, zeros)
			if v.CanSet() {
				v.Set(p)
			}
		}
	case reflect.Slice:
		n := 1 + r.IntN(3)
		if depth <= 0 {
			n = 0
		}
		if zeros {
			n = r.IntN(4)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i), depth-1, zeros)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth-1, zeros)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + r.IntN(12) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, k, 0, zeros)
			fill(r, e, depth-1, zeros)
			if k.Comparable() {
				v.SetMapIndex(k, e)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(r, f, depth-1, zeros)
			} else if sf := v.Type().Field(i); sf.Anonymous && sf.Type.Kind() == reflect.Struct {
				for j := range f.NumField() {
					if f := f.Field(j); f.CanSet() {
						fill(r, f, depth-1, zeros)
					}
				}
			}
		}
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[isZero]() {
			v.Set(reflect.ValueOf(zeroByValue{1}))
			return
		}
		if v.NumMethod() > 0 {
			if x := implementer(r, v.Type()); x.IsValid() {
				v.Set(x)
			}
			return
		}
		t := scalars[r.IntN(len(scalars))]
		if depth > 0 {
			t = typeInAny(r, depth-1)
		}
		e := reflect.New(t).Elem()
		fill(r, e, depth-1, zeros)
		if e.Kind() == reflect.Interface && e.IsNil() {
			e = reflect.ValueOf("x")
		}
		v.Set(e)
	}
}
