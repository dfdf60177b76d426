// Package drivers tests arenasql with the drivers of PostgreSQL and MySQL, and their servers.
package drivers

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit/server"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// open returns a connection to a server started for the test, or skips the test.
func open(t *testing.T, driver string) *sql.DB {
	dir, err := os.MkdirTemp("", "arenasql")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	start, source := server.Postgres, "host="+dir+" user=tester dbname=postgres"
	if driver == "mysql" {
		start, source = server.MySQL, "root@unix("+dir+"/mysql)/mysql?parseTime=true&multiStatements=true"
	}
	stop, err := start(dir)
	if err != nil {
		t.Skip("SKIPPED: no server: ", err)
	}
	t.Cleanup(stop)
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for tries := 0; db.Ping() != nil; tries++ {
		if tries == 100 {
			t.Fatal(db.Ping())
		}
		time.Sleep(100 * time.Millisecond)
	}
	return db
}

var postgresValues = []string{
	"'text'", "''", "null::text", "'17'::varchar", "'p'::char(4)", "'n'::name", "'x'::\"char\"", "'<a/>'::xml", `'\x0102ff'::bytea`, "''::bytea", "null::bytea",
	"true", "null::bool", "1::int2", "-70000", "9223372036854775807", "null::int4", "1.5::float4", "2.25::float8", "'NaN'::float8", "12.50::numeric", "null::numeric",
	"'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid", "'2026-01-02'::date", "'2026-01-02 03:04:05.6'::timestamp", "'2026-01-02 03:04:05Z'::timestamptz", "'12:00'::time",
	"'1 day'::interval", "'10.0.0.1'::inet", "'[1,2]'::int4range", "17::oid", "point(1,2)", "B'101'", "'1/2'::pg_lsn", "'08:00:2b:01:02:03'::macaddr", "to_tsvector('a b')",
	`'{"A":1,"B":["x"]}'::json`, `'{"A":1,"B":["x"]}'::jsonb`, "'null'::jsonb", "'[1,2]'::jsonb", `'"s"'::jsonb`, "null::jsonb",
	"'{1,2}'::int4[]", "'{a,b}'::text[]", "'{}'::text[]", "null::text[]", "row(1,'a')",
}

var mysqlValues = []string{
	"'text'", "''", "null", "cast('17' as char)", "x'0102ff'", "cast('b' as binary(4))", "true", "1", "-70000", "9223372036854775807", "18446744073709551615", "1.5e0", "12.50",
	"cast('2026-01-02' as date)", "cast('2026-01-02 03:04:05.6' as datetime(1))", "cast('12:00' as time)", `json_object('A', 1)`, "json_array(1, 2)", "b'101'", "uuid()",
}

type status string

// same compares arenasql with Rows.Scan for every value, also for a driver that scans into destinations
// itself. For JSON see TestJSON.
func same[T any](t *testing.T, db *sql.DB, values []string) {
	t.Helper()
	for _, expr := range values {
		if expr == "uuid()" {
			continue
		}
		for _, args := range [][]any{nil, {int64(1)}} { // MySQL's text and binary protocols
			query := "select " + expr + " as x, 'after' as y"
			if args != nil {
				query += " where 1 = ?"
			}
			read := func() *sql.Rows {
				if strings.Contains(fmt.Sprintf("%T", db.Driver()), "stdlib") {
					query = strings.ReplaceAll(query, "?", "$1")
				}
				rows, err := db.Query(query, args...)
				if err != nil {
					t.Fatal(query, err)
				}
				return rows
			}
			rows := read()
			rows.Next()
			var want struct {
				X T
				Y string
			}
			wrong := rows.Scan(&want.X, &want.Y)
			rows.Close()
			for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
				got, err := arenasql.Collect[struct {
					X T
					Y string
				}](a, read())
				if (err == nil) != (wrong == nil) || err == nil && fmt.Sprintf("%#v", got[0]) != fmt.Sprintf("%#v", want) && !reflect.DeepEqual(got[0], want) {
					if _, raw := any(want.X).(json.RawMessage); raw && err == nil && wrong != nil {
						continue // pgx on Go 1.27 accepts only JSON, arenasql does not
					}
					t.Errorf("%s into %T: %#v, error %v, database/sql has %#v, error %v", query, want.X, got, err, want, wrong)
				}
			}
		}
	}
}

func sameAll(t *testing.T, db *sql.DB, values []string) {
	same[string](t, db, values)
	same[status](t, db, values)
	same[[]byte](t, db, values)
	same[json.RawMessage](t, db, values)
	same[*string](t, db, values)
	same[*[]byte](t, db, values)
	same[sql.NullString](t, db, values)
	same[sql.Null[[]byte]](t, db, values)
	same[int](t, db, values)
	same[int8](t, db, values)
	same[uint64](t, db, values)
	same[*int64](t, db, values)
	same[float32](t, db, values)
	same[float64](t, db, values)
	same[bool](t, db, values)
	same[time.Time](t, db, values)
	same[*time.Time](t, db, values)
	same[sql.NullTime](t, db, values)
	same[any](t, db, values)
}

func TestPostgres(t *testing.T) {
	db := open(t, "pgx")
	sameAll(t, db, postgresValues)
	rows, err := db.Query(`select 1 as id, '{"A":"x"}'::jsonb as info, '[1,2]'::json as list`)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID   int
		Info map[string]string
		List []int
	}
	got, err := arenasql.Collect[row](arena.NewArena(1<<10, 0), rows)
	if err != nil || !reflect.DeepEqual(got, []row{{1, map[string]string{"A": "x"}, []int{1, 2}}}) {
		t.Error(got, err)
	}
	// Since Go 1.27 the driver decodes arrays into slices.
	if rows, err = db.Query("select '{a,b}'::text[] as x"); err != nil {
		t.Fatal(err)
	}
	arrays, err := arenasql.Collect[struct{ X []string }](arena.NewArena(1<<10, 0), rows)
	if scans := strings.Compare(runtime.Version(), "go1.27") >= 0; scans && (err != nil || !reflect.DeepEqual(arrays[0].X, []string{"a", "b"})) || !scans && err == nil {
		t.Error(arrays, err)
	}
	texts(t, db, "select 'text ' || n as a, repeat('y', 100) as b, decode(repeat('ab', 50), 'hex') as c from generate_series(1, $1::int) n")
}

func TestMySQL(t *testing.T) {
	db := open(t, "mysql")
	sameAll(t, db, mysqlValues)
	rows, err := db.Query(`select 1 as id, '{"A":"x"}' as info; select 5 as n; select 6 as n union all select 7`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	a := arena.NewArena(1<<10, 0)
	type row struct {
		ID   int
		Info map[string]string
	}
	got, err := arenasql.Collect[row](a, rows)
	if err != nil || !reflect.DeepEqual(got, []row{{1, map[string]string{"A": "x"}}}) || !rows.NextResultSet() {
		t.Fatal(got, err)
	}
	if n, err := arenasql.One[int](a, rows); err != nil || *n != 5 || !rows.NextResultSet() {
		t.Fatal(n, err)
	}
	if all, err := arenasql.Collect[int](a, rows); err != nil || len(all) != 2 || rows.NextResultSet() {
		t.Fatal(all, err)
	}
	texts(t, db, "select concat('text ', seq) as a, repeat('y', 100) as b, repeat(x'ab', 50) as c from seq_1_to_1000 where seq <= ?")
}

// texts logs the heap allocations for a row of text and bytes. With Go 1.27 there are none with pgx.
func texts(t *testing.T, db *sql.DB, query string) {
	if check.On || check.Race || check.ASan || !machine.LayoutOK {
		t.Skip("these builds allocate")
	}
	a := arena.NewArena(1<<20, 0)
	cost := func(n int) float64 {
		return testing.AllocsPerRun(10, func() {
			rows, err := db.Query(query, n)
			if err != nil {
				t.Fatal(err)
			}
			all, err := arenasql.Collect[struct {
				A, B string
				C    []byte
			}](a, rows)
			if err != nil || len(all) != n || len(all[0].B) != 100 || len(all[0].C) != 50 {
				t.Fatal(len(all), err)
			}
			a.Reset()
		})
	}
	few, many := cost(10), cost(1000)
	t.Logf("%v allocations for 10 rows, %v for 1000", few, many)
	if strings.Compare(runtime.Version(), "go1.27") >= 0 && strings.Contains(query, "generate_series") && many > few+100 {
		t.Errorf("%v allocations for 10 rows, %v for 1000", few, many)
	}
}
