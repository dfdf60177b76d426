package arenapgx_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

type base struct {
	ID        int64
	CreatedAt time.Time
}

type customer struct {
	base
	Name   string `db:"full_name"`
	Note   *string
	Tags   []string
	Data   []byte
	Amount pgtype.Numeric
	Info   document
	Skip   string `db:"-"`
	skip   string
}

const customers = `select n as id, '2026-01-02 03:04:05Z'::timestamptz + n * interval '1 hour' as created_at, 'customer ' || n as full_name,
	case when n % 2 = 0 then 'note ' || n end as note, array['a' || n, 'b'] as tags, repeat('d', n % 50)::bytea as data,
	(n * 1.25)::numeric(12, 2) as amount, jsonb_build_object('A', n, 'B', array['x', 'y' || n]) as info
	from generate_series(1, $1::int) n`

func describe(c customer) string {
	note := "none"
	if c.Note != nil {
		note = *c.Note
	}
	c.Note = nil
	amount := fmt.Sprint(c.Amount.Int, "e", c.Amount.Exp)
	c.Amount = pgtype.Numeric{}
	return fmt.Sprintf("%+v %s %s", c, note, amount)
}

// Results in an arena equal those of pgx.CollectRows, also after the connection has reused its memory for
// other queries and the collector has run.
func TestCustomers(t *testing.T) {
	conn := connect(t)
	const n = 1000
	want, err := pgx.CollectRows(query(conn, customers, n), pgx.RowToStructByName[customer])
	if err != nil {
		t.Fatal(err)
	}
	pool := arena.NewAutoPool(0)
	for _, collect := range []func(*arena.Arena, pgx.Rows) ([]customer, error){arenapgx.Collect[customer], byPosition} {
		pool.Do(func(a *arena.Arena) {
			got, err := collect(a, query(conn, customers, n))
			if err != nil || len(got) != n {
				t.Fatal(len(got), err)
			}
			if _, err := conn.Exec(t.Context(), "select repeat('#', 100000)"); err != nil {
				t.Fatal(err)
			}
			testkit.Collect(2)
			for i := range got {
				if g, w := describe(got[i]), describe(want[i]); g != w {
					t.Fatalf("%s\nwant %s", g, w)
				}
			}
		})
	}
	one, err := arenapgx.One[customer](nil, query(conn, customers, 5))
	if err != nil || describe(*one) != describe(want[0]) {
		t.Error(one, err)
	}
	count, err := arenapgx.One[int](nil, query(conn, "select count(*) from generate_series(1, 10)"))
	if err != nil || *count != 10 {
		t.Error(count, err)
	}
	if s := pool.Stats(); s.Gets != s.Puts {
		t.Error(s)
	}
}

func byPosition(a *arena.Arena, rows pgx.Rows) ([]customer, error) {
	return arenapgx.CollectByPos[customer](a, rows)
}

// encoded returns rows without a server.
func encoded(tb testing.TB, names []string, oids []uint32, rows ...[]any) *recording {
	r := &recording{types: pgtype.NewMap()}
	for i, name := range names {
		r.fields = append(r.fields, pgconn.FieldDescription{Name: name, DataTypeOID: oids[i], Format: pgtype.BinaryFormatCode})
	}
	for _, row := range rows {
		var values [][]byte
		for i, v := range row {
			b, err := r.types.Encode(oids[i], pgtype.BinaryFormatCode, v, nil)
			if err != nil {
				tb.Fatal(err)
			}
			values = append(values, b)
		}
		r.rows = append(r.rows, values)
	}
	return r
}

func refused[T any](t *testing.T, columns string, parts ...string) {
	t.Helper()
	names := strings.Fields(columns)
	oids, row := make([]uint32, len(names)), make([]any, len(names))
	for i := range oids {
		oids[i] = pgtype.Int8OID
	}
	r := encoded(t, names, oids, row)
	for _, f := range []func() error{
		func() error { _, err := arenapgx.Collect[T](nil, r.again()); return err },
		func() error { _, err := arenapgx.One[T](nil, r.again()); return err },
	} {
		err := f()
		for _, part := range append(parts, "arenapgx: ") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v lacks %q", err, part)
			}
		}
		if r.closed == 0 {
			t.Error("the rows stay open")
		}
	}
}

func TestRefusals(t *testing.T) {
	refused[customer](t, "id age", `no field of arenapgx_test.customer for column "age"`)
	refused[customer](t, "skip", `column "skip"`)
	refused[customer](t, "id id", `columns "id" and "id" for field ID`)
	refused[customer](t, "id", "no column for field \"CreatedAt\"")
	refused[struct{ *base }](t, "id", "embeds the pointer")
	refused[struct{ X pgtype.DriverBytes }](t, "x", "DriverBytes")
	refused[int](t, "a b", "2 columns for a int, want 1")
	r := encoded(t, []string{"id"}, []uint32{pgtype.Int8OID}, []any{int64(1)})
	if _, err := arenapgx.CollectByPos[base](nil, r); err == nil || !strings.Contains(err.Error(), "1 columns for the 2 fields") {
		t.Error(err)
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	conn := connect(t)
	if all, err := arenapgx.Collect[int](nil, query(conn, "select no_such_column")); all != nil || err == nil || !strings.Contains(err.Error(), "no_such_column") {
		t.Error(all, err)
	}
	if one, err := arenapgx.One[int](nil, query(conn, "select no_such_column")); one != nil || err == nil || !strings.Contains(err.Error(), "no_such_column") {
		t.Error(one, err)
	}
	// An error after some rows.
	if all, err := arenapgx.Collect[int](nil, query(conn, "select 10 / (5 - n) from generate_series(1, 10) n")); all != nil || err == nil || !strings.Contains(err.Error(), "division by zero") {
		t.Error(all, err)
	}
	if one, err := arenapgx.One[int](nil, query(conn, "select 1 where false")); one != nil || err != pgx.ErrNoRows {
		t.Error(one, err)
	}
	if all, err := arenapgx.Collect[int](nil, query(conn, "select 1 where false")); all != nil || err != nil {
		t.Error(all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows, _ := conn.Query(ctx, "select case when n = 1000 then length(pg_sleep(5)::text) else n end from generate_series(1, 1000) n")
	time.AfterFunc(200*time.Millisecond, cancel)
	if all, err := arenapgx.Collect[int](arena.NewArena(1<<16, 0), rows); all != nil || !errors.Is(err, context.Canceled) {
		t.Error(len(all), err)
	}
}

// An exceeded limit also ends the query, so that the connection can be used again.
func TestLimit(t *testing.T) {
	conn := connect(t)
	a := arena.NewArena(1<<12, 0)
	a.SetLimit(256 << 10)
	for _, sql := range []string{"select repeat('x', 1000000)", "select 'x' || n from generate_series(1, 1000000) n"} {
		func() {
			defer func() {
				if _, ok := recover().(*arena.LimitError); !ok {
					t.Error("no *arena.LimitError")
				}
			}()
			arenapgx.Collect[string](a, query(conn, sql))
		}()
		a.Reset()
		if n, err := arenapgx.One[int](a, query(conn, "select 42")); err != nil || *n != 42 {
			t.Error(n, err)
		}
	}
	func() {
		defer func() {
			if _, ok := recover().(*arena.LimitError); !ok {
				t.Error("no *arena.LimitError from arenajson")
			}
		}()
		arenapgx.One[struct{ X []string }](a, query(conn, "select to_jsonb(array[repeat('x', 1000000)]) as x"))
	}()
}

// Malformed values cause an error, not a panic.
func TestBrokenValues(t *testing.T) {
	needsNewPgx(t)
	all := []uint32{pgtype.BoolOID, pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID, pgtype.UUIDOID,
		pgtype.DateOID, pgtype.TimestampOID, pgtype.TimestamptzOID, pgtype.JSONBOID, pgtype.Int4ArrayOID, pgtype.TextArrayOID}
	random := uint32(1)
	for range 20000 {
		random = random*1664525 + 1013904223
		oid := all[random>>16%uint32(len(all))]
		b := make([]byte, random>>8%40)
		for i := range b {
			random = random*1664525 + 1013904223
			if random>>28 < 5 {
				b[i] = byte(random >> 20)
			}
		}
		if len(b) >= 12 && random&1 == 0 {
			copy(b[8:], []byte{0, 0, 0, byte(pgtype.Int4OID)})
		}
		if oid == pgtype.Int4ArrayOID && random>>8&1 == 0 {
			b = brokenArray(random)
		}
		r := &recording{types: pgtype.NewMap(), rows: [][][]byte{{b}}}
		r.fields = []pgconn.FieldDescription{{Name: "x", DataTypeOID: oid, Format: pgtype.BinaryFormatCode}}
		broken[[]*int32](t, r)
		broken[string](t, r)
		broken[int](t, r)
		broken[float64](t, r)
		broken[pgtype.Numeric](t, r)
		broken[time.Time](t, r)
		broken[[]int32](t, r)
		broken[[]string](t, r)
		broken[struct{ X map[string]int }](t, r)
		if testing.Short() && random>>24 == 0 {
			return
		}
	}
}

// brokenArray returns an array of up to three int4s with valid or invalid sizes.
func brokenArray(random uint32) (b []byte) {
	n := random >> 9 & 3
	for _, x := range []uint32{1, 1, pgtype.Int4OID, n, 1} {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	for i := range n {
		size := []int32{4, 4, 4, -1, -2, 3, math.MinInt32, math.MaxInt32}[random>>(11+3*i)&7]
		b = binary.BigEndian.AppendUint32(b, uint32(size))
		if size > 0 {
			b = append(b, 0, 0, 0, byte(i))
		}
	}
	return b
}

func broken[T any](t *testing.T, r *recording) {
	t.Helper()
	got, err := arenapgx.OneByPos[struct{ X T }](nil, r.again())
	want, wrong := pgx.CollectOneRow(r.again(), pgx.RowToStructByPos[struct{ X T }])
	if text(err) != text(wrong) || err == nil && !equal(reflect.ValueOf(*got), reflect.ValueOf(want)) && fmt.Sprint(*got) != fmt.Sprint(want) {
		t.Fatalf("%d %x: %v, %v; pgx has %v, %v", r.fields[0].DataTypeOID, r.rows[0][0], got, err, want, wrong)
	}
}

func numeric(c int64, exp int32) pgtype.Numeric {
	return pgtype.Numeric{Int: big.NewInt(c), Exp: exp, Valid: true}
}

// Further rows cost only the growth of the slice, a few chunks, and no allocation each.
func TestRowsAllocateNothing(t *testing.T) {
	if check.On || check.Race || check.ASan {
		t.Skip("builds with checks allocate")
	}
	if !machine.LayoutOK {
		t.Skip("values with pointers are on the heap")
	}
	type row struct {
		ID     int64
		Small  int16
		Name   string
		Data   []byte
		Price  float64
		Amount pgtype.Numeric
		Paid   bool
		At     time.Time
		Maybe  *string
		Null   pgtype.Text
		Tags   []string
		Nums   []int32
		Info   document
		UUID   string
		Mean   float64
	}
	now := time.Now()
	r := encoded(t, strings.Fields("id small name data price amount paid at maybe null tags nums info uuid mean"),
		[]uint32{pgtype.Int8OID, pgtype.Int4OID, pgtype.TextOID, pgtype.ByteaOID, pgtype.Float8OID, pgtype.NumericOID, pgtype.BoolOID, pgtype.TimestamptzOID,
			pgtype.VarcharOID, pgtype.TextOID, pgtype.TextArrayOID, pgtype.Int4ArrayOID, pgtype.JSONBOID, pgtype.UUIDOID, pgtype.NumericOID},
		[]any{int64(1 << 40), int32(1000), "name", []byte("data"), 1.5, numeric(1234567, -2), true, now, "maybe", nil, []string{"a", "b"}, []int32{1, 2, 3},
			document{1, []string{"x"}}, [16]byte{1, 2, 15: 3}, numeric(25, -1)},
		[]any{int64(1 << 40), int32(1000), "name", nil, 1.5, numeric(-1, -2), true, now, nil, "text", []string{}, []int32{}, document{}, [16]byte{}, numeric(1, 9)})
	two := r.rows
	a := arena.NewArena(1<<20, 1<<24)
	cost := func(repeat int) float64 {
		r.rows = nil
		for range repeat {
			r.rows = append(r.rows, two...)
		}
		return testing.AllocsPerRun(20, func() {
			if got, err := arenapgx.Collect[row](a, r.again()); err != nil || len(got) != 2*repeat {
				t.Fatal(len(got), err)
			}
			a.Reset()
		})
	}
	few, many := cost(1), cost(500)
	t.Logf("%v allocations for 2 rows, %v for 1000", few, many)
	if few > 2 || many > few+20 { // one for each array column
		t.Errorf("%v allocations for 2 rows, %v for 1000", few, many)
	}
}
