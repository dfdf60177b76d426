package arenajson

import (
	"encoding/json"
	"reflect"
	"time"
)

// The zoo: types that reflect.StructOf can't create, by all rules for fields.

type leaf struct {
	A int `json:"a"`
	B string
	c int
}

type Exported struct {
	X     int     `json:"x,omitempty"`
	Y     float64 `json:",omitempty"`
	Z     []int   `json:"z,omitzero"`
	Q     int64   `json:"q,string"`
	QP    *uint8  `json:"qp,string,omitempty"`
	QS    string  `json:",string"`
	QB    bool    `json:",omitempty,string"`
	None  []int   `json:",string"` // the option does not apply
	Dash  int     `json:"-"`
	Comma int     `json:"-,"`
}

type Level1 struct {
	Same  int
	Other int `json:"other"`
	Level2
}

type Level2 struct {
	Same   string
	Deep   string `json:"deep"`
	Other  int
	hidden int
}

type Clash1 struct {
	Clash int
	Owned int `json:"owned"`
}

type Clash2 struct {
	Clash int
	Own   int `json:"owned"`
}

type tagWins1 struct{ W int }
type tagWins2 struct {
	V string `json:"W"`
}

type Twice1 struct{ Level2 }
type Twice2 struct{ Level2 }

type Recursive struct {
	N int
	*Recursive
	List []*Recursive
}

type MutualA struct {
	AA int
	*MutualB
}
type MutualB struct {
	BB int
	*MutualA
}

type MyInt int
type myInt int
type MyIface interface{}
type MyPointed struct{ P1, P2 int }
type hiddenPointed struct{ H1, H2 int }

type zeroByValue struct{ N int }

func (z zeroByValue) IsZero() bool { return z.N == 7 }

type zeroByPointer struct{ N int }

func (z *zeroByPointer) IsZero() bool { return z.N == 7 }

type isZero interface{ IsZero() bool }

// Struct types that go vet reports.
var (
	sameNames = reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"same"`},
		{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"same"`},
		{Name: "C", Type: reflect.TypeFor[int](), Tag: `json:"Same"`},
		{Name: "D", Type: reflect.TypeFor[int](), Tag: `json:"SAME"`},
		{Name: "F", Type: reflect.TypeFor[int](), Tag: `json: "f"`},
	})).Elem().Interface()
	clashing = reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "Clash1", Type: reflect.TypeFor[Clash1](), Anonymous: true},
		{Name: "Clash2", Type: reflect.TypeFor[Clash2](), Anonymous: true},
		{Name: "Deep", Type: reflect.TypeFor[int](), Tag: `json:"deep"`},
		{Name: "Level2", Type: reflect.TypeFor[Level2](), Anonymous: true},
	})).Elem().Interface()
)

var twice = reflect.New(reflect.StructOf([]reflect.StructField{
	{Name: "Twice1", Type: reflect.TypeFor[Twice1](), Anonymous: true},
	{Name: "Twice2", Type: reflect.TypeFor[*Twice2](), Anonymous: true},
})).Elem().Interface()

// zoo has a zero value of each type.
var zoo = []any{
	leaf{}, Exported{}, Level1{}, Level2{}, Recursive{}, MutualA{},
	struct {
		leaf
		Exported
	}{},
	struct {
		*MyPointed
		MyInt
		myInt
		MyIface
		*Level1
	}{},
	clashing,
	struct {
		tagWins1
		tagWins2
	}{},
	twice,
	struct {
		Level2 `json:"named"`
		Level1 `json:"-"`
		*leaf  `json:"pointed"`
	}{},
	struct {
		A int `json:"<a>&b"`
		B int `json:"ünicode"`
		E int `json:"with space"`
		F int `json:"$%-/"`
		G int `json:"日本語"`
		H int `json:"bad,omitempty,string,nonsense"`
		I int `json:"İ<"`
		K int `json:" lead"`
		L int `json:"a.b;c:d=e?f@g[h]i^j_k{l|m}n~"`
	}{},
	sameNames,
	struct {
		A int `json:"b"`
		B int `json:"a"`
		C int `json:"B"`
	}{},
	struct {
		Z1 zeroByValue        `json:",omitzero"`
		Z2 zeroByPointer      `json:",omitzero"`
		Z3 *zeroByValue       `json:",omitzero"`
		Z4 *zeroByPointer     `json:",omitzero"`
		Z5 isZero             `json:",omitzero"`
		Z6 time.Time          `json:",omitzero"`
		Z7 [3]int             `json:",omitzero"`
		Z8 struct{ A, b any } `json:",omitzero"`
		Z9 float64            `json:",omitzero"`
		E1 [0]int             `json:",omitempty"`
		E2 [2]int             `json:",omitempty"`
		E3 map[string]int     `json:",omitempty"`
		E4 any                `json:",omitempty"`
		E5 *int               `json:",omitempty"`
		E6 struct{}           `json:",omitempty"`
		E7 bool               `json:",omitempty"`
		E8 float32            `json:",omitempty"`
		E9 []byte             `json:",omitempty"`
	}{},
	struct {
		N  json.Number     `json:",string"`
		R  json.RawMessage `json:"r"`
		T  time.Time
		D  time.Duration
		P  **int
		PS *string `json:",string"`
		PP **bool  `json:",string"`
		MI MyInt   `json:",string"`
		UP uintptr `json:",string"`
		F3 float32 `json:",string"`
	}{},
	struct{}{},
	struct{ _ int }{},
}

// badNames has tags with invalid names, which v1 replaces by the field's name. If encoding/json is built on
// v2, it omits such a field.
type badNames struct {
	A int `json:"bad\\name"`
	B int `json:"bad\"name"`
	C int `json:"fine"`
}
