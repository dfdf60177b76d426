package arenasql_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// values are all kinds of values that drivers return.
var values = []driver.Value{
	nil, int64(0), int64(1), int64(-1), int64(127), int64(128), int64(255), int64(256), int64(1 << 40), int64(math.MinInt64),
	0.0, -1.5, 3.0, 1e300, math.Inf(1), "", "text", "17", "true", "1.5", "2026-01-02", []byte(nil), []byte{}, []byte("bytes"), []byte("42"),
	halfway, []byte(`{"a":1}`), true, false, time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), time.Time{},
}

// halfway is between two float32 values. database/sql rounds its shortest decimal, which is greater, up; the
// number itself would be rounded down, to even.
const halfway = 1 + 1.0/(1<<24)

// same reads every value into a T, and into a struct with a T, and compares value and error with
// database/sql's.
func same[T any](t *testing.T) {
	t.Helper()
	for _, v := range values {
		source := &table{columns: []string{"x"}, rows: [][]driver.Value{{v}}}
		db := source.open(t)
		rows := source.query(t, db)
		rows.Next()
		var want T
		wrong := rows.Scan(&want)
		rows.Close()
		for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
			got, err := arenasql.Collect[T](a, source.query(t, db))
			name := fmt.Sprintf("%#v into %T", v, want)
			if fmt.Sprint(err) != fmt.Sprint(wrong) {
				t.Errorf("%s: error %v, database/sql's is %v", name, err, wrong)
			} else if err == nil && !reflect.DeepEqual(got[0], want) {
				t.Errorf("%s: %#v, database/sql has %#v", name, got[0], want)
			}
			in, err := arenasql.One[struct{ X T }](a, source.query(t, db))
			if fmt.Sprint(err) != fmt.Sprint(wrong) {
				t.Errorf("%s in a struct: error %v, database/sql's is %v", name, err, wrong)
			} else if err == nil && !reflect.DeepEqual(in.X, want) {
				t.Errorf("%s in a struct: %#v, database/sql has %#v", name, in.X, want)
			}
		}
	}
}

type (
	status string
	level  int8
	chunk  []byte
	flag   bool
	ratio  float64
	word   uint16
	third  float32
)

// strict is a Scanner that accepts only text.
type strict struct{ text string }

func (s *strict) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		s.text = "null"
	case string:
		s.text = v
	case []byte:
		s.text = string(v)
	default:
		return fmt.Errorf("no text: %T", src)
	}
	return nil
}

func TestValuesAreThoseOfDatabaseSQL(t *testing.T) {
	same[string](t)
	same[status](t)
	same[[]byte](t)
	same[chunk](t)
	same[json.RawMessage](t)
	same[int](t)
	same[int8](t)
	same[level](t)
	same[int16](t)
	same[int32](t)
	same[int64](t)
	same[uint](t)
	same[uint8](t)
	same[uint16](t)
	same[uint32](t)
	same[uint64](t)
	same[float32](t)
	same[float64](t)
	same[bool](t)
	same[flag](t)
	same[ratio](t)
	same[word](t)
	same[third](t)
	same[time.Time](t)
	same[any](t)
	same[complex128](t)
	same[strict](t)
	same[*string](t)
	same[*status](t)
	same[*[]byte](t)
	same[*int32](t)
	same[*float64](t)
	same[*bool](t)
	same[*time.Time](t)
	same[**int](t)
	same[*strict](t)
	same[sql.NullString](t)
	same[sql.NullInt64](t)
	same[sql.NullInt32](t)
	same[sql.NullInt16](t)
	same[sql.NullByte](t)
	same[sql.NullFloat64](t)
	same[sql.NullBool](t)
	same[sql.NullTime](t)
	same[sql.Null[status]](t)
	same[sql.Null[[]byte]](t)
	same[sql.Null[*int]](t)
	same[sql.Null[strict]](t)
	same[sql.Null[any]](t)
	same[*sql.NullString](t)
	same[*sql.Null[level]](t)
	same[sql.Null[flag]](t)
	same[*flag](t)
	same[*float32](t)
	same[sql.Null[third]](t)
}

type base struct {
	ID        int64
	CreatedAt time.Time
}

type customer struct {
	base
	Name  string `db:"full_name"`
	Note  *string
	Photo []byte
	Skip  string `db:"-"`
	skip  string
	Extra struct{ A int } `db:"-"`
}

func TestNames(t *testing.T) {
	now := time.Now()
	source := &table{
		columns: []string{"full_name", "created_at", "id", "NOTE"},
		rows:    [][]driver.Value{{"Jo", now, int64(7), []byte("n")}},
	}
	db := source.open(t)
	a := arena.NewArena(1<<10, 0)
	for range 2 { // the second time from the cache
		got, err := arenasql.One[customer](a, source.query(t, db))
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != 7 || !got.CreatedAt.Equal(now) || got.Name != "Jo" || *got.Note != "n" || got.Photo != nil {
			t.Errorf("%+v", got)
		}
	}
}

func refused[T any](t *testing.T, columns []string, parts ...string) {
	t.Helper()
	source := &table{columns: columns, rows: [][]driver.Value{make([]driver.Value, len(columns))}}
	db := source.open(t)
	for _, f := range []func() error{
		func() error { _, err := arenasql.Collect[T](nil, source.query(t, db)); return err },
		func() error { _, err := arenasql.One[T](nil, source.query(t, db)); return err },
	} {
		source.closed = 0
		err := f()
		for _, part := range append(parts, "arenasql: ") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v lacks %q", err, part)
			}
		}
		if source.closed != 1 {
			t.Error("the rows stay open")
		}
	}
}

func TestRefusals(t *testing.T) {
	refused[customer](t, []string{"id", "age"}, `no field of arenasql_test.customer for column "age"`)
	refused[customer](t, []string{"skip"}, `column "skip"`)
	refused[customer](t, []string{"name"}, `column "name"`)      // the tag replaces the name
	refused[customer](t, []string{"id", "i_d"}, `"id"`, `"i_d"`) // both match the same field
	refused[customer](t, []string{"id", "id"}, `columns "id" and "id" for field ID`)
	refused[struct{ *base }](t, []string{"id"}, "embeds the pointer")
	refused[struct{ Raw sql.RawBytes }](t, []string{"raw"}, "sql.RawBytes")
	refused[sql.RawBytes](t, []string{"raw"}, "sql.RawBytes")
	refused[int](t, []string{"a", "b"}, "2 columns for a int, want 1")
	refused[time.Time](t, []string{"a", "b"}, "2 columns")
}

// The outermost of several fields with one name is set, as in Go.
func TestOuterFieldsHideInner(t *testing.T) {
	type outer struct {
		base
		ID string
	}
	source := &table{columns: []string{"id"}, rows: [][]driver.Value{{"outer"}}}
	got, err := arenasql.One[outer](nil, source.query(t, source.open(t)))
	if err != nil || got.ID != "outer" || got.base.ID != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNoRows(t *testing.T) {
	source := &table{columns: []string{"x"}}
	db := source.open(t)
	if one, err := arenasql.One[int](nil, source.query(t, db)); one != nil || err != sql.ErrNoRows {
		t.Error(one, err)
	}
	if all, err := arenasql.Collect[int](nil, source.query(t, db)); all != nil || err != nil {
		t.Error(all, err)
	}
	source.fails = errors.New("connection lost")
	if one, err := arenasql.One[int](nil, source.query(t, db)); one != nil || err != source.fails {
		t.Error(one, err)
	}
	source.rows = [][]driver.Value{{int64(1)}}
	if all, err := arenasql.Collect[int](nil, source.query(t, db)); all != nil || err != source.fails {
		t.Error(all, err)
	}
}

// No result refers to a driver's buffer, which the next row overwrites.
func TestBytesAreCopies(t *testing.T) {
	source := &table{columns: []string{"x", "y"}}
	for i := range 100 {
		source.rows = append(source.rows, []driver.Value{[]byte(fmt.Sprint("bytes", i)), []byte(fmt.Sprint("text", i))})
	}
	db := source.open(t)
	type row struct {
		X []byte
		Y string
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
		got, err := arenasql.Collect[row](a, source.query(t, db))
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		for i, r := range got {
			if string(r.X) != fmt.Sprint("bytes", i) || r.Y != fmt.Sprint("text", i) {
				t.Fatalf("row %d: %q, %q", i, r.X, r.Y)
			}
		}
	}
}

// A panic inside Rows.Scan would leave its lock held, so that Close never returns.
func TestPanicsCloseTheRows(t *testing.T) {
	source := &table{columns: []string{"x"}, rows: [][]driver.Value{{bytes.Repeat([]byte("x"), 1<<20)}}}
	db := source.open(t)
	a := arena.NewArena(1<<10, 0)
	a.SetLimit(64 << 10)
	for _, f := range []func(){
		func() { arenasql.Collect[string](a, source.query(t, db)) },
		func() { arenasql.One[[]byte](a, source.query(t, db)) },
		func() { arenasql.Collect[explodes](a, source.query(t, db)) },
		func() { arenasql.One[*explodes](a, source.query(t, db)) },
	} {
		func() {
			defer func() {
				v := recover()
				err, _ := v.(error)
				var over *arena.LimitError
				if !errors.As(err, &over) && v != "scanned" {
					t.Errorf("panic with %v", v)
				}
			}()
			source.closed = 0
			f()
			t.Error("no panic")
		}()
		if n := db.Stats().InUse; n != 0 || source.closed != 1 {
			t.Errorf("%d connections are still in use", n)
		}
	}
	a.Reset()
}

type explodes struct{ int }

func (*explodes) Scan(any) error { panic("scanned") }

// Collect and One leave rows open if another result set follows, and close them otherwise, also after an
// error.
func TestResultSets(t *testing.T) {
	unclean := errors.New("the rows may not be all")
	source := &table{columns: []string{"x"}, rows: [][]driver.Value{{int64(1)}, {int64(2)}}, more: 2}
	db := source.open(t)
	for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
		source.rows, source.closed, source.unclean = [][]driver.Value{{int64(1)}, {int64(2)}}, 0, nil
		rows := source.query(t, db)
		for set := range 3 {
			if all, err := arenasql.Collect[int](a, rows); err != nil || !slices.Equal(all, []int{1, 2}) {
				t.Fatalf("set %d: %v, error %v", set, all, err)
			}
			if more := rows.NextResultSet(); more != (set < 2) {
				t.Fatalf("set %d: NextResultSet = %v", set, more)
			}
		}
		if source.closed != 1 {
			t.Errorf("closed %d times", source.closed)
		}
		source.unclean = unclean
		if all, err := arenasql.Collect[bool](a, source.query(t, db)); err == nil || err == unclean || all != nil || source.closed != 2 {
			t.Errorf("Collect of a value that does not fit: %v, error %v, closed %d times", all, err, source.closed)
		}
		if one, err := arenasql.One[int](a, source.query(t, db)); err != unclean || one != nil || source.closed != 3 { // two rows
			t.Errorf("One: %v, error %v, closed %d times", one, err, source.closed)
		}
		if one, err := arenasql.One[time.Time](a, source.query(t, db)); err == nil || err == unclean || one != nil || source.closed != 4 {
			t.Errorf("One of a value that does not fit: %v, error %v, closed %d times", one, err, source.closed)
		}
		source.rows, source.unclean = source.rows[:1], nil
		rows = source.query(t, db)
		for set := range 3 {
			if one, err := arenasql.One[int](a, rows); err != nil || *one != 1 || rows.NextResultSet() != (set < 2) {
				t.Errorf("set %d: %v, error %v", set, one, err)
			}
		}
		if source.closed != 5 {
			t.Errorf("closed %d times", source.closed)
		}
	}
}

// JSON is decoded into the types that Rows.Scan refuses: maps, structs and slices.
func TestJSON(t *testing.T) {
	type place struct {
		City string
		Tags []string
	}
	type row struct {
		M map[string]any
		P place
		Q *place
		S []int
		N *[]string
		T map[string]string
	}
	const object = `{"City":"Rome","Tags":["a","b"]}`
	want := place{"Rome", []string{"a", "b"}}
	for _, as := range []func(string) driver.Value{func(s string) driver.Value { return s }, func(s string) driver.Value { return []byte(s) }} {
		source := &table{columns: []string{"m", "p", "q", "s", "n", "t"}, rows: [][]driver.Value{
			{as(`{"a": 1.5, "b": [true, null]}`), as(object), as(object), as(" [1, 2]"), as(`["x"]`), as("null")},
			{nil, as("{}"), nil, nil, nil, as(`{"k": "v"}`)},
		}}
		db := source.open(t)
		for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
			got, err := arenasql.Collect[row](a, source.query(t, db))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, []row{
				{map[string]any{"a": 1.5, "b": []any{true, nil}}, want, &want, []int{1, 2}, &[]string{"x"}, nil},
				{P: place{}, T: map[string]string{"k": "v"}},
			}) {
				t.Errorf("%+v", got)
			}
		}
		for _, wrong := range []driver.Value{nil, int64(1), as("{"), as(`{"City": 7}`), as("[]")} {
			source := &table{columns: []string{"p"}, rows: [][]driver.Value{{wrong}}}
			if got, err := arenasql.Collect[struct{ P place }](nil, source.query(t, source.open(t))); err == nil {
				t.Errorf("%v: %+v", wrong, got)
			}
		}
		source = &table{columns: []string{"s"}, rows: [][]driver.Value{{as("{1,2}")}}}
		if got, err := arenasql.Collect[struct{ S []int }](nil, source.query(t, source.open(t))); err == nil || !strings.Contains(err.Error(), "sql: Scan error") {
			t.Errorf("%+v, %v", got, err)
		}
		a := arena.NewArena(1<<10, 0)
		a.SetLimit(64 << 10)
		source = &table{columns: []string{"s"}, rows: [][]driver.Value{{as("[" + strings.Repeat("1,", 1<<16) + "1]")}}}
		func() {
			defer func() {
				if _, ok := recover().(*arena.LimitError); !ok || source.closed != 1 {
					t.Error("no *arena.LimitError, or rows stay open")
				}
			}()
			arenasql.Collect[struct{ S []int64 }](a, source.query(t, source.open(t)))
		}()
	}
}

// Tags are matched exactly, then without case. Of several fields the outermost is set, and the last of those.
// Nested structs have their own columns.
func TestMatching(t *testing.T) {
	type team struct{ ID, Size int }
	type row struct {
		A    int `db:"Region"`
		B    int `db:"x"`
		C    int `db:"x"`
		Team team
		D    int `db:"ID"`
		E    int `db:"id"`
	}
	for columns, want := range map[string]row{
		"region":            {A: 1},
		"REGION":            {A: 1},
		"x":                 {C: 1},
		"X":                 {C: 1},
		"team.id team.size": {Team: team{1, 2}},
		"TEAM.SIZE":         {Team: team{0, 1}},
		"id ID":             {D: 2, E: 1},
		"Id":                {E: 1},
	} {
		names := strings.Fields(columns)
		row1 := []driver.Value{int64(1), int64(2)}[:len(names)]
		source := &table{columns: names, rows: [][]driver.Value{row1}}
		if got, err := arenasql.One[row](nil, source.query(t, source.open(t))); err != nil || *got != want {
			t.Errorf("%s: %+v, %v, want %+v", columns, got, err, want)
		}
	}
}

// Further rows cost only the growth of the slice, a few chunks, and no allocation each.
func TestRowsAllocateNothing(t *testing.T) {
	if check.On || check.Race || check.ASan {
		t.Skip("builds with checks allocate")
	}
	if !machine.LayoutOK {
		t.Skip("values with pointers are on the heap")
	}
	now := time.Now()
	type row struct {
		ID    int64
		N     int16
		Name  string
		Data  []byte
		Price float64
		Paid  bool
		At    time.Time
		Maybe sql.NullString
		Null  sql.NullInt64
		Ptr   *string
		Time  *time.Time
		Kind  status
		Third float32
	}
	source := &table{
		columns: []string{"id", "n", "name", "data", "price", "paid", "at", "maybe", "null", "ptr", "time", "kind", "third"},
		rows: [][]driver.Value{{int64(1 << 40), int64(1000), "name", []byte("data"), 1.5, true, now, "maybe", nil, "ptr", now, "kind", 1.0 / 3},
			{int64(1 << 40), int64(1000), []byte("name"), nil, 1.5, int64(1), now, nil, int64(1 << 40), nil, nil, []byte("kind"), halfway}},
	}
	db := source.open(t)
	a := arena.NewArena(1<<20, 0)
	cost := func(repeat int) float64 {
		source.repeat = repeat
		return testing.AllocsPerRun(20, func() {
			if got, err := arenasql.Collect[row](a, source.query(t, db)); err != nil || len(got) != 2*repeat {
				t.Fatal(len(got), err)
			}
			a.Reset()
		})
	}
	if few, many := cost(1), cost(500); many > few+20 {
		t.Errorf("%v allocations for 2 rows, %v for 1000", few, many)
	}
}
