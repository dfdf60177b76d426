package arenapgx_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

type part struct {
	Name  string
	Count *int32
	tally int
	Tags  []string
	Made  time.Time
}

type whole struct {
	ID    int64
	First part
	Parts []part
	Span  pgtype.Interval // decoded by pgx
}

type left struct { // has a tag and an embedded struct, which pgx ignores
	Name  string `db:"-"`
	Count *int32
	Tags  []string
	Made  time.Time
}

type parted struct {
	part
	Name string
}

const wholes = `select row(n, row('part ' || n, nullif(n % 3, 0), array['a' || n, 'b'], '2026-01-02 03:04:05Z'::timestamptz)::part,
	array[row('x', 1, '{}', '2001-02-03 04:05:06Z')::part, row(n::text, null, null, '2001-02-03 04:05:06Z')::part], n * interval '1 hour')::whole
	from generate_series(1, $1::int) n`

// sameWhole compares T from one column with the result of pgx.RowTo.
func sameWhole[T any](t *testing.T, conn *pgx.Conn, a *arena.Arena, sql string, args ...any) {
	t.Helper()
	whole := func() (got, want []T, err, fails error) {
		want, fails = pgx.CollectRows(query(conn, sql, args...), pgx.RowTo[T])
		got, err = arenapgx.CollectTo[T](a, query(conn, sql, args...))
		return
	}
	first := func() (got, want []T, err, fails error) {
		row, fails := pgx.CollectOneRow(query(conn, sql, args...), pgx.RowTo[T])
		x, err := arenapgx.OneTo[T](a, query(conn, sql, args...))
		if err == nil {
			got = []T{*x}
		}
		if fails == nil {
			want = []T{row}
		}
		return
	}
	for _, read := range []func() (got, want []T, err, fails error){whole, first} {
		got, want, err, fails := read()
		for n := 0; (err == nil) != (fails == nil) && n < 50; n++ { // whether pgx accepts NULL for a slice depends on the order of a map
			got, want, err, fails = read()
		}
		if (err == nil) != (fails == nil) || fails == nil && !reflect.DeepEqual(got, want) && len(want) != 0 {
			t.Errorf("%s into %T:\n%+v (%v), want\n%+v (%v)", sql, want, got, err, want, fails)
		}
	}
}

func withComposites(t *testing.T) *pgx.Conn {
	conn := connect(t)
	for _, sql := range []string{
		"drop type if exists whole, part",
		"create type part as (name text, count int, tags text[], made timestamptz)",
		"create type whole as (id bigint, first part, parts part[], span interval)",
	} {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"part", "_part", "whole"} {
		typ, err := conn.LoadType(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		conn.TypeMap().RegisterType(typ)
	}
	return conn
}

// One column is read into a struct like by pgx.RowTo: composites, JSON and JSONB, with NULLs in all places,
// with other numbers and types of fields, and with errors.
func TestWholeColumns(t *testing.T) {
	conn, a := withComposites(t), arena.NewArena(8<<10, 0)
	sameWhole[whole](t, conn, a, wholes, 40)
	sameWhole[*whole](t, conn, a, "select case when n = 2 then null else "+wholes[len("select "):], 3)
	for _, sql := range []string{
		"select row('x', 1, '{y}', '2026-05-06 07:08:09Z'::timestamptz)::part", "select row('x', null, null, '2026-05-06 07:08:09Z'::timestamptz)::part", "select row(null, 1, '{y}', '2026-05-06 07:08:09Z'::timestamptz)::part",
		"select row('x', 1, '{y}', null)::part", "select null::part", "select 7", "select 'text'", "select 1, 2", "select 7 where false", "select 1/0",
		`select '{"Name": "n", "Count": 3, "Tags": ["a"]}'::json`, `select '{"Name": "n", "Made": "2026-01-02T03:04:05Z"}'::jsonb`, `select '{"Name": 7}'::jsonb`, "select null::jsonb",
	} {
		sameWhole[part](t, conn, a, sql)
		sameWhole[*part](t, conn, a, sql)
		sameWhole[left](t, conn, a, sql)
		sameWhole[parted](t, conn, a, sql)
		sameWhole[struct{ Name, Count string }](t, conn, a, sql)
		sameWhole[time.Time](t, conn, a, sql)
		sameWhole[string](t, conn, a, sql)
		sameWhole[[]part](t, conn, a, sql)
	}
	sameWhole[whole](t, conn, a, "select row(1, row(null, 1, null, null)::part, null, null)::whole")
	sameWhole[[]part](t, conn, a, "select array[row('x', 1, '{y}', '2026-05-06 07:08:09Z'::timestamptz)::part, null]")
	sameWhole[[]*part](t, conn, a, "select array[row('x', 1, '{y}', '2026-05-06 07:08:09Z'::timestamptz)::part, null]")
}

// Malformed composites cause an error if they do in pgx, and are never read past their end.
func TestWholeColumnsBroken(t *testing.T) {
	needsNewPgx(t)
	conn, a := withComposites(t), arena.NewArena(8<<10, 0)
	r := record(t, conn, "select row('x', 1, '{y,z}', '2026-05-06 07:08:09Z'::timestamptz)::part")
	r.types = conn.TypeMap()
	good := r.rows[0][0]
	for i := range good {
		for _, change := range []func(b []byte) []byte{
			func(b []byte) []byte { return b[:i:i] },
			func(b []byte) []byte { b[i] ^= 0xff; return b },
			func(b []byte) []byte { b[i]++; return b },
			func(b []byte) []byte { return append(b, 0) },
		} {
			r.rows[0][0] = change(slices.Clone(good))
			want, fails := pgx.CollectRows(pgx.Rows(r.again()), pgx.RowTo[part])
			got, err := arenapgx.CollectTo[part](a, r.again())
			if (err == nil) != (fails == nil) || fails == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%x is read as %+v (%v), by pgx as %+v (%v)", r.rows[0][0], got, err, want, fails)
			}
		}
	}
}

func TestWholeColumnsAllocateNothing(t *testing.T) {
	if check.On || check.Race || check.ASan || !machine.LayoutOK {
		t.Skip("these builds allocate")
	}
	conn, a := withComposites(t), arena.NewArena(1<<20, 0)
	const sql = "select row('x' || n, n, '{y,z}', '2026-05-06 07:08:09Z'::timestamptz)::part from generate_series(1, $1::int) n"
	count := func(n int) float64 {
		r := record(t, conn, sql, n)
		r.types = conn.TypeMap()
		return testing.AllocsPerRun(20, func() {
			if all, err := arenapgx.CollectTo[part](a, r.again()); err != nil || len(all) != n {
				t.Fatal(len(all), err)
			}
			a.Reset()
		})
	}
	if few, many := count(10), count(500); many > few+20 {
		t.Errorf("500 rows take %v allocations, 10 rows %v", many, few)
	}
}
