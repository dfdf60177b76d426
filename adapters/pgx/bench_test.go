package arenapgx_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// benchRow and benchQuery are from pgx's own benchmarks of CollectRows.
type benchRow struct {
	ID         int32
	FirstName  string
	LastName   string
	Sex        string
	BirthDate  time.Time
	Weight     int32
	Height     int32
	Tags       []string
	UpdateTime time.Time
}

const benchQuery = `select n as id, 'Adam' as first_name, 'Smith ' || n as last_name, 'male' as sex, '1952-06-16'::date as birth_date,
	258 as weight, 72 as height, '{foo,bar,baz}'::text[] as tags, '2001-01-28 01:02:03-05'::timestamptz as update_time
	from generate_series(100001, 100000 + $1::int) n`

// BenchmarkCollectRows reads rows by name, from a server over its socket, and from memory, which measures
// only decoding: results of equal size, and small results with 1 of 16 large.
func BenchmarkCollectRows(b *testing.B) {
	conn := connect(b)
	for name, sizes := range map[string][]int{
		"1": {1}, "10": {10}, "100": {100}, "10000": {10000}, "1,_one_in_16_of_100": append(slices.Repeat([]int{1}, 15), 100),
	} {
		recorded := map[int]*recording{}
		for _, n := range sizes {
			recorded[n] = record(b, conn, benchQuery, n)
		}
		for from, rows := range map[string]func(n int) pgx.Rows{
			"decode": func(n int) pgx.Rows { return recorded[n].again() },
			"socket": func(n int) pgx.Rows { return query(conn, benchQuery, n) },
		} {
			a := arena.NewArena(1<<16, 1<<22)
			b.Run(from+"/rows="+name, func(b *testing.B) {
				testkit.Duel(b, func() {
					for _, n := range sizes {
						all, err := pgx.CollectRows(rows(n), pgx.RowToStructByName[benchRow])
						checkRows(b, n, all, err)
					}
				}, func() {
					for _, n := range sizes {
						all, err := arenapgx.Collect[benchRow](a, rows(n))
						checkRows(b, n, all, err)
						a.Reset()
					}
				})
			})
		}
	}
}

func checkRows(b *testing.B, n int, all []benchRow, err error) {
	if err != nil || len(all) != n || all[n-1].ID != int32(100000+n) || all[n-1].Tags[2] != "baz" || all[0].BirthDate.Year() != 1952 {
		b.Fatal(len(all), err)
	}
}
