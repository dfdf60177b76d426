//go:build goexperiment.jsonv2 && go1.27

package arenajson

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
)

// Options that encoding/json/v2 has mean the same there, beside the options of encoding/json.
func TestOptionsOfV2(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	type value struct {
		optionsOf
		P *optionsOf
		V any
	}
	for range 300 {
		v := &value{optionsOf: randomOptionsOf(r), V: []any{r.IntN(3), nil, map[string]int(nil), []string(nil)}}
		if r.IntN(2) == 0 {
			p := randomOptionsOf(r)
			v.P = &p
		}
		for k := range 8 {
			ours := []Option{}
			theirs := []jsonv2.Options{json.DefaultOptionsV1()}
			for i, o := range []struct {
				ours   Option
				theirs jsonv2.Options
			}{{StringifyNumbers, jsonv2.StringifyNumbers(true)}, {NilSliceAsEmpty, jsonv2.FormatNilSliceAsNull(false)}, {NilMapAsEmpty, jsonv2.FormatNilMapAsNull(false)}} {
				if k>>i&1 != 0 {
					ours, theirs = append(ours, o.ours), append(theirs, o.theirs)
				}
			}
			got, err := Marshal(nil, v, ours...)
			got = bytes.ReplaceAll(got, []byte(`"AM":{}`), []byte(`"AM":null`)) // a pointer to encoding/json
			want, wrong := jsonv2.Marshal(v, jsonv2.JoinOptions(theirs...))
			if string(got) != string(want) || (err == nil) != (wrong == nil) {
				t.Fatalf("options %03b: %s, %v, want %s, %v", k, got, err, want, wrong)
			}
			// What was written can be read, and is the same as what encoding/json reads.
			theirs = append(theirs, jsonv2.MatchCaseInsensitiveNames(false))
			ours = append(ours, CaseSensitive)
			var x, y value
			err, wrong = Unmarshal(nil, got, &x, ours...), jsonv2.Unmarshal(got, &y, jsonv2.JoinOptions(theirs...))
			if !reflect.DeepEqual(x, y) || (err == nil) != (wrong == nil) {
				t.Fatalf("options %03b: %s is read as %+v, %v, want %+v, %v", k, got, x, err, y, wrong)
			}
		}
	}
	for _, doc := range []string{`1`, `"1"`, `"x"`, `" 1"`, `""`, `"1.0"`, `"-1"`, `"300"`, `null`, `"null"`, `true`, `"1e2"`, `"01"`, `"+1"`, `"1e400"`, `[]`} {
		for _, to := range []any{new(int), new(uint8), new(float64), new(float32), new(json.Number), new(*int), new([1]int)} {
			x, y := reflect.New(reflect.TypeOf(to).Elem()), reflect.New(reflect.TypeOf(to).Elem())
			err := Unmarshal(nil, []byte(doc), x.Interface(), StringifyNumbers)
			wrong := jsonv2.Unmarshal([]byte(doc), y.Interface(), json.DefaultOptionsV1(), jsonv2.StringifyNumbers(true), jsonv2.WithUnmarshalers(nil))
			if legacy := doc == `"null"` || doc == `"+1"` || doc == `"01"`; !legacy && ((err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(x.Elem().Interface(), y.Elem().Interface())) {
				t.Errorf("%s into %T: %v, %v, want %v, %v", doc, to, x.Elem(), err, y.Elem(), wrong)
			}
		}
	}
}

func randomOptionsOf(r *rand.Rand) (x optionsOf) {
	x.I, x.F, x.F3, x.Q = r.IntN(1000)-500, math.Round(r.NormFloat64()*1e6)/1e3, float32(r.IntN(100))/4, r.IntN(9)
	x.X = [2]int8{int8(r.IntN(256)), 1}
	if r.IntN(2) == 0 {
		x.U, x.L, x.M = ptr(uint8(r.IntN(256))), []int{1, r.IntN(5)}, map[string]int{"b": 1, "a": r.IntN(9)}
	}
	if r.IntN(2) == 0 {
		x.K, x.B, x.A, x.N = map[int]float64{r.IntN(20): 1.5}, []byte("xyz"), []any{"s", true, 2.5}, "12"
	}
	if r.IntN(2) == 0 {
		x.T, x.S, x.O = map[string]string{"k": "v"}, []string{"q"}, map[string]any{"z": 1.0, "y": nil}
	}
	return x
}

func TestWithMarshalers(t *testing.T) {
	degrees := jsonv2.MarshalFunc(func(c celsius) ([]byte, error) { return fmt.Appendf(nil, `"%g C"`, float64(c)), nil })
	yes := jsonv2.MarshalToFunc(func(e *jsontext.Encoder, b bool) error { return e.WriteToken(jsontext.String(fmt.Sprint("is ", b))) })
	with := WithMarshalers(jsonv2.JoinMarshalers(degrees, yes))
	without := WithUnmarshalers(jsonv2.UnmarshalFunc(func(data []byte, c *celsius) error {
		_, err := fmt.Sscanf(string(data), `"%g C"`, (*float64)(c))
		return err
	}))
	type value struct {
		C []celsius
		B bool
		S string
		L []int
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		v := &value{[]celsius{1, 2}, true, "<", nil}
		got, err := Marshal(a, v, with, NilSliceAsEmpty, NoEscapeHTML)
		if want := `{"C":["1 C","2 C"],"B":"is true","S":"<","L":[]}`; err != nil || string(got) != want {
			t.Errorf("WithMarshalers: %s, %v, want %s", got, err, want)
		}
		var back value
		if err := Unmarshal(a, []byte(`{"c":["1 C","2 C"],"S":"<"}`), &back, without); err != nil || !reflect.DeepEqual(back, value{C: []celsius{1, 2}, S: "<"}) {
			t.Errorf("WithUnmarshalers: %+v, %v", back, err)
		}
		if err := Unmarshal(a, []byte(`{"c":[],"S":"<","S":""}`), &back, without, Strict); err == nil {
			t.Error("WithUnmarshalers and Strict: no error")
		}
		if _, err := Marshal(a, func() {}, with); err == nil {
			t.Error("WithMarshalers of a func: no error")
		}
		if _, err := Marshal(a, &struct{ M *arena.Map[int, int] }{arena.NewMap[int, int](a, 0)}, with); err == nil {
			t.Error("WithMarshalers of an arena.Map: no error")
		}
	}
}
