package arenasql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
	"github.com/ebbpool/arena/internal/testkit"
	_ "modernc.org/sqlite"
)

func Example() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // here each connection has its own database
	db.Exec(`create table customers (id integer, full_name text, note text);
		insert into customers values (1, 'Jo', null), (2, 'Mia', 'prefers tea')`)

	type Customer struct {
		ID   int64
		Name string `db:"full_name"`
		Note *string
	}
	arena.NewAutoPool(0).Do(func(a *arena.Arena) {
		rows, err := db.Query("select id, full_name, note from customers order by id")
		if err != nil {
			fmt.Println(err)
			return
		}
		customers, err := arenasql.Collect[Customer](a, rows)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range customers {
			fmt.Println(c.ID, c.Name, c.Note != nil)
		}
	})
	// Output:
	// 1 Jo false
	// 2 Mia true
}

func openSQLite(tb testing.TB) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

func must[T any](tb testing.TB) func(T, error) T {
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

type order struct {
	ID       int64
	Customer string
	Note     sql.NullString
	Coupon   *string
	Price    float64
	Paid     bool
	Data     []byte
	PlacedAt time.Time
	Any      any
}

// Results in an arena equal those of Rows.Scan.
func TestSQLite(t *testing.T) {
	db := openSQLite(t)
	must[sql.Result](t)(db.Exec(`create table orders (id integer primary key, customer text, note text, coupon text,
		price real, paid boolean, data blob, placed_at timestamp, any)`))
	for i := range 500 {
		var note, coupon, anything any
		if i%2 == 0 {
			note = strings.Repeat("note ", i)
		}
		if i%3 == 0 {
			coupon = fmt.Sprint("coupon ", i)
		}
		switch i % 4 {
		case 0:
			anything = int64(i)
		case 1:
			anything = "text"
		case 2:
			anything = []byte{1, 2}
		}
		must[sql.Result](t)(db.Exec(`insert into orders values (?, ?, ?, ?, ?, ?, ?, ?, ?)`, i, fmt.Sprint("customer ", i), note, coupon,
			float64(i)/4, i%2 == 0, []byte(strings.Repeat("d", i%50)), time.Unix(int64(i)*1000, 0).UTC(), anything))
	}
	const query = `select * from orders order by id`
	var want []order
	rows := must[*sql.Rows](t)(db.Query(query))
	for rows.Next() {
		var o order
		if err := rows.Scan(&o.ID, &o.Customer, &o.Note, &o.Coupon, &o.Price, &o.Paid, &o.Data, &o.PlacedAt, &o.Any); err != nil {
			t.Fatal(err)
		}
		want = append(want, o)
	}
	pool := arena.NewAutoPool(0)
	for range 3 {
		pool.Do(func(a *arena.Arena) {
			got := must[[]order](t)(arenasql.Collect[order](a, must[*sql.Rows](t)(db.Query(query))))
			if len(got) != len(want) {
				t.Fatalf("%d rows of %d", len(got), len(want))
			}
			testkit.Collect(1)
			for i := range got {
				if g, w := describe(got[i]), describe(want[i]); g != w {
					t.Fatalf("%s\nwant %s", g, w)
				}
			}
			one := must[*order](t)(arenasql.One[order](a, must[*sql.Rows](t)(db.Query(`select * from orders where id = 7`))))
			if describe(*one) != describe(want[7]) {
				t.Error(describe(*one))
			}
		})
	}
	n, err := arenasql.One[int](nil, must[*sql.Rows](t)(db.Query(`select count(*) from orders`)))
	if err != nil || *n != 500 {
		t.Error(n, err)
	}
	_, err = arenasql.One[int](nil, must[*sql.Rows](t)(db.Query(`select id from orders where id < 0`)))
	if err != sql.ErrNoRows {
		t.Error(err)
	}
}

func describe(o order) string {
	coupon := "none"
	if o.Coupon != nil {
		coupon = *o.Coupon
	}
	o.Coupon = nil
	return fmt.Sprintf("%#v, coupon %s", o, coupon)
}

// A query that is canceled while it is read ends with an error, not with a part of its rows.
func TestCancelled(t *testing.T) {
	db := openSQLite(t)
	ctx, cancel := context.WithCancel(t.Context())
	rows := must[*sql.Rows](t)(db.QueryContext(ctx, `with recursive n(i) as (select 1 union all select i+1 from n) select i from n`))
	time.AfterFunc(20*time.Millisecond, cancel)
	got, err := arenasql.Collect[int](arena.NewArena(1<<16, 0), rows)
	if got != nil || !errors.Is(err, context.Canceled) && (err == nil || !strings.Contains(err.Error(), "interrupted")) {
		t.Error(len(got), err)
	}
}

// The driver's own benchmark of reading text: a table of 1,000 rows with one text.
func BenchmarkText(b *testing.B) {
	for _, size := range []int{16, 256, 4096} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			db := openSQLite(b)
			must[sql.Result](b)(db.Exec(`create table t (s text)`))
			must[sql.Result](b)(db.Exec(`with recursive n(i) as (select 1 union all select i+1 from n where i < 1000)
				insert into t select ? from n`, strings.Repeat("X", size)))
			a := arena.NewArena(1<<16, 0)
			testkit.Duel(b, func() {
				rows := must[*sql.Rows](b)(db.Query(`select s from t`))
				var all []string
				for rows.Next() {
					var s string
					if err := rows.Scan(&s); err != nil {
						b.Fatal(err)
					}
					all = append(all, s)
				}
				checkRows(b, len(all), rows.Err())
			}, func() {
				all, err := arenasql.Collect[string](a, must[*sql.Rows](b)(db.Query(`select s from t`)))
				checkRows(b, len(all), err)
				a.Reset()
			})
		})
	}
}

func checkRows(b *testing.B, n int, err error) {
	if n != 1000 || err != nil {
		b.Fatal(n, err)
	}
}

// Typical rows of services, from SQLite and from a driver that returns text as bytes, like those of MySQL and
// PostgreSQL.
func BenchmarkStructs(b *testing.B) {
	const query = `select id, customer, note, coupon, price, paid, data, placed_at from orders`
	db := openSQLite(b)
	must[sql.Result](b)(db.Exec(`create table orders (id integer primary key, customer text, note text, coupon text,
		price real, paid boolean, data blob, placed_at timestamp)`))
	must[sql.Result](b)(db.Exec(`with recursive n(i) as (select 1 union all select i+1 from n where i < 1000)
		insert into orders select i, 'customer', 'a note', 'a coupon', 1.5, 1, x'0102', '2026-01-02 03:04:05' from n`))
	bytesDriver := &table{columns: []string{"id", "customer", "note", "coupon", "price", "paid", "data", "placed_at"}, repeat: 1000}
	bytesDriver.rows = append(bytesDriver.rows, nil)
	bytesDriver.rows[0] = append(bytesDriver.rows[0], int64(1), []byte("customer"), []byte("a note"), []byte("a coupon"), 1.5, true, []byte("xy"), time.Now())
	for name, db := range map[string]*sql.DB{"sqlite": db, "bytes": bytesDriver.open(b)} {
		b.Run(name, func(b *testing.B) {
			a := arena.NewArena(1<<16, 0)
			testkit.Duel(b, func() {
				rows := must[*sql.Rows](b)(db.Query(query))
				var all []order
				for rows.Next() {
					var o order
					if err := rows.Scan(&o.ID, &o.Customer, &o.Note, &o.Coupon, &o.Price, &o.Paid, &o.Data, &o.PlacedAt); err != nil {
						b.Fatal(err)
					}
					all = append(all, o)
				}
				checkRows(b, len(all), rows.Err())
			}, func() {
				all, err := arenasql.Collect[order](a, must[*sql.Rows](b)(db.Query(query)))
				checkRows(b, len(all), err)
				a.Reset()
			})
		})
	}
}
