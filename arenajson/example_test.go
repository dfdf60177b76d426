package arenajson_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

type order struct {
	ID    int               `json:"id"`
	Items []item            `json:"items"`
	Notes map[string]string `json:"notes,omitempty"`
}

type item struct {
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

func ExampleMarshal() {
	pool := arena.NewArenaPool(64<<10, 0)
	pool.Do(func(a *arena.Arena) {
		o := order{ID: 7, Items: []item{{"tea <green>", 3.5}, {"cup", 12}}}
		doc, err := arenajson.Marshal(a, &o) // a pointer: Go would allocate a value on the heap
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(doc)) // valid until the arena is reset
	})
	// Output:
	// {"id":7,"items":[{"name":"tea \u003cgreen\u003e","price":3.5},{"name":"cup","price":12}]}
}

func ExampleMarshalWrite() {
	a := arena.NewArena(4<<10, 0)
	notes := arena.NewMap[string, int](a, 0)
	notes.Set("<b>", 2)
	notes.Set("a", 1)
	if err := arenajson.MarshalWrite(a, os.Stdout, notes, arenajson.NoEscapeHTML); err != nil {
		fmt.Println(err)
	}
	// Output: {"<b>":2,"a":1}
}

func ExampleUnmarshal() {
	type Item struct {
		Name  string `json:"name"`
		Price float64
	}
	type Order struct {
		Customer string
		Items    []Item
	}
	pool := arena.NewAutoPool(0)
	pool.Do(func(a *arena.Arena) {
		var order Order
		err := arenajson.Unmarshal(a, []byte(`{"customer": "Jo", "items": [{"name": "tea", "price": 3.5}]}`), &order)
		fmt.Println(order.Customer, order.Items, err)
	})
	// Output: Jo [{tea 3.5}] <nil>
}

func ExampleUnmarshalRead() {
	a := arena.NewArena(4<<10, 0)
	var o order
	err := arenajson.UnmarshalRead(a, strings.NewReader(`{"id": 8, "items": [{"name": "tea"}]}`), &o)
	fmt.Println(o.ID, o.Items[0].Name, err)
	// Output: 8 tea <nil>
}

// A stream of values, each decoded into the memory of the last one.
func ExampleDecoder() {
	a := arena.NewArena(4<<10, 0)
	d := arenajson.NewDecoder(a, strings.NewReader(`{"id": 1} {"id": 2} {"id": 3`))
	start := a.Mark()
	for {
		var o order
		if err := d.Decode(&o); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(o.ID)
		a.Rewind(start)
	}
	// Output:
	// 1
	// 2
	// unexpected EOF
}

func ExampleOption() {
	a := arena.NewArena(4<<10, 0)
	var o order
	err := arenajson.Unmarshal(a, []byte(`{"id":7,"colour":"red"}`), &o, arenajson.DisallowUnknownFields)
	fmt.Println(err)
	// Output: json: unknown field "colour"
}

// Programs may interpret a duplicate name differently.
func ExampleStrictError() {
	a := arena.NewArena(4<<10, 0)
	var o order
	err := arenajson.Unmarshal(a, []byte(`{"id":7,"id":8}`), &o, arenajson.Strict)
	var strict *arenajson.StrictError
	fmt.Println(errors.As(err, &strict))
	// Output: true
}

func ExampleValid() {
	fmt.Println(arenajson.Valid([]byte(`{"id": 7}`)), arenajson.Valid([]byte(`{"id": 7`)))
	// Output: true false
}

func ExampleCompact() {
	a := arena.NewArena(4<<10, 0)
	text, err := arenajson.Compact(a, []byte("{ \"id\" : 7 }\n"))
	fmt.Printf("%s %v\n", text, err)
	// Output: {"id":7} <nil>
}

func ExampleIndent() {
	a := arena.NewArena(4<<10, 0)
	text, err := arenajson.Indent(a, []byte(`{"id":7}`), "", "  ")
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// {
	//   "id": 7
	// } <nil>
}

func ExampleNewEncoder() {
	a := arena.NewArena(4<<10, 0)
	e := arenajson.NewEncoder(a, os.Stdout)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	fmt.Println(e.Encode(map[string]string{"text": "<tea>"}))
	// Output:
	// {
	//  "text": "<tea>"
	// }
	// <nil>
}

// An array of any length, one element at a time.
func ExampleDecoder_Token() {
	a := arena.NewArena(4<<10, 0)
	d := arenajson.NewDecoder(a, strings.NewReader(`[{"id":1},{"id":2}]`))
	if _, err := d.Token(); err != nil { // the bracket
		fmt.Println(err)
		return
	}
	start := a.Mark()
	for d.More() {
		var o order
		if err := d.Decode(&o); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(o.ID)
		a.Rewind(start)
	}
	// Output:
	// 1
	// 2
}

func ExampleParse() {
	a := arena.NewArena(4096, 0)
	v, err := arenajson.Parse(a, []byte(`{"data": {"users": [ {"name": "Ann"} ]}, "extensions": {"cost": 3}}`))
	if err != nil {
		panic(err)
	}
	reviews, err := arenajson.Parse(a, []byte(`{"users": [{"reviews": [5, 4]}]}`))
	if err != nil {
		panic(err)
	}
	if err := v.Merge(reviews, "data"); err != nil {
		panic(err)
	}
	if err := v.Delete("extensions"); err != nil {
		panic(err)
	}
	fmt.Println(v.Get("data", "users", 0, "reviews", 1).Int())
	fmt.Println(string(v.AppendTo(nil)))
	// Output:
	// 4
	// {"data":{"users":[ {"name": "Ann","reviews":[5, 4]} ]}}
}

func ExampleMarshalAppend() {
	a := arena.NewArena(4096, 0)
	frame := []byte("data: ")
	frame, err := arenajson.MarshalAppend(a, frame, []int{1, 2}, arenajson.LineEnd)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(frame))
	// Output: data: [1,2]
}

func ExampleMarshalIndent() {
	doc, err := arenajson.MarshalIndent(nil, map[string][]int{"a": {1}}, "", "  ")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(doc))
	// Output:
	// {
	//   "a": [
	//     1
	//   ]
	// }
}

type cents int64

// Create the option once. It encodes amounts as strings.
var (
	writeCents = arenajson.MarshalFunc(func(a *arena.Arena, c cents) ([]byte, error) {
		return fmt.Appendf(arena.MakeSlice[byte](a, 0, 16), `"%d.%02d"`, c/100, c%100), nil
	})
	readCents = arenajson.UnmarshalFunc(func(a *arena.Arena, data []byte, c *cents) error {
		var whole, rest cents
		_, err := fmt.Sscanf(string(data), `"%d.%d"`, &whole, &rest)
		*c = whole*100 + rest
		return err
	})
)

func ExampleMarshalFunc() {
	a := arena.NewArena(4096, 0)
	prices := map[string]cents{"apple": 45, "melon": 230}
	doc, err := arenajson.Marshal(a, prices, writeCents)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(doc))
	// Output: {"apple":"0.45","melon":"2.30"}
}

func ExampleUnmarshalFunc() {
	a := arena.NewArena(4096, 0)
	var prices []cents
	if err := arenajson.Unmarshal(a, []byte(`["0.45","2.30"]`), &prices, readCents); err != nil {
		panic(err)
	}
	fmt.Println(prices)
	// Output: [45 230]
}
