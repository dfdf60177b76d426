package arenapgx_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

type (
	plain struct {
		ID   int64
		Name int64
	}
	underscored struct {
		Full_Name int64
		FullName  int64
		ID        int64
	}
	tagged struct {
		A int64 `db:"id"`
		B int64 `db:"Name"`
		C int64 `db:"-"`
	}
	cased struct {
		A int64 `db:"id"`
		B int64 `db:"ID"`
		C int64 `db:"Id,omitempty"`
	}
	doubled struct {
		A int64 `db:"id"`
		B int64 `db:"id"`
		C int64 `db:"name"`
	}
	mixed struct {
		A  int64 `db:"id"`
		ID int64
		B  int64 `db:"full_name"`
	}
	outerFirst struct {
		ID int64
		plain
	}
	outerLast struct {
		plain
		ID int64
	}
	twoEmbedded struct {
		tagged
		plain
	}
	dotted struct {
		A int64 `db:"team.id"`
		B int64 `db:"Team.Name"`
	}
	empty struct {
		A int64 `db:""`
	}
)

// vocabulary lists the column names of TestNames. Some differ only in case or underscores.
var vocabulary = []string{"id", "ID", "Id", "i_d", "name", "Name", "full_name", "fullname", "FULL_NAME", "a", "team.id", "TEAM.ID", "team.name", "-"}

// names compares the fields of columns with those of pgx.RowToStructByName and its lax variant.
func names[T any](t *testing.T, columns []string) (ok bool) {
	t.Helper()
	oids, row := make([]uint32, len(columns)), make([]any, len(columns))
	for i := range columns {
		oids[i], row[i] = pgtype.Int8OID, int64(i+1)
	}
	r := encoded(t, columns, oids, row)
	for _, way := range []struct {
		name string
		ours func(*arena.Arena, pgx.Rows) ([]T, error)
		one  func(*arena.Arena, pgx.Rows) (*T, error)
		pgx  pgx.RowToFunc[T]
	}{
		{"Collect", arenapgx.Collect[T], arenapgx.One[T], pgx.RowToStructByName[T]},
		{"CollectLax", arenapgx.CollectLax[T], arenapgx.OneLax[T], pgx.RowToStructByNameLax[T]},
	} {
		want, wrong := pgx.CollectRows(pgx.Rows(r.again()), way.pgx)
		got, err := way.ours(nil, r.again())
		if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %q into %T: %+v, %v, pgx has %+v, %v", way.name, columns, want, got, err, want, wrong)
		}
		one, err := way.one(nil, r.again())
		if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(*one, want[0]) {
			t.Errorf("One for %s of %q into %T: %+v, %v, pgx has %+v, %v", way.name, columns, want, one, err, want, wrong)
		}
		ok = ok || err == nil && way.name == "Collect"
	}
	return ok
}

// TestNames compares random sets of columns with pgx, over structs with tags, equal tags, embedded structs and names that
// differ in case.
func TestNames(t *testing.T) {
	all := []func(*testing.T, []string) bool{names[plain], names[underscored], names[tagged], names[cased], names[doubled], names[mixed],
		names[outerFirst], names[outerLast], names[twoEmbedded], names[dotted], names[empty], names[struct{}], names[customer]}
	type upper struct {
		ID int64 `db:"ID"`
	}
	_, err := pgx.CollectOneRow(pgx.Rows(encoded(t, []string{"id"}, []uint32{pgtype.Int8OID}, []any{int64(1)})), pgx.RowToStructByName[upper])
	known := vocabulary
	if err != nil { // pgx before 5.11 compares tags with case
		all = []func(*testing.T, []string) bool{names[plain], names[underscored], names[doubled], names[outerFirst], names[outerLast]}
		known = []string{"id", "i_d", "name", "full_name", "fullname", "a"}
	}
	random := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 20_000 {
		var columns []string
		for _, i := range random.Perm(len(known))[:random.IntN(5)] {
			columns = append(columns, known[i])
		}
		if len(columns) > 1 && random.IntN(10) == 0 {
			columns[1] = columns[0]
		}
		if all[random.IntN(len(all))](t, columns) {
			read++
		}
		if t.Failed() {
			return
		}
	}
	if read < 200 {
		t.Errorf("%d of the rows were read", read)
	}
}

// Tags without exact match are matched without case, whatever version of pgx is installed.
func TestTagsWithoutCase(t *testing.T) {
	r := encoded(t, []string{"ID", "name"}, []uint32{pgtype.Int8OID, pgtype.Int8OID}, []any{int64(1), int64(2)})
	if got, err := arenapgx.One[tagged](nil, r); err != nil || got.A != 1 || got.B != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	r = encoded(t, []string{"ID", "Id", "id"}, []uint32{pgtype.Int8OID, pgtype.Int8OID, pgtype.Int8OID}, []any{int64(1), int64(2), int64(3)})
	if got, err := arenapgx.One[cased](nil, r); err != nil || *got != (cased{3, 1, 2}) {
		t.Errorf("%+v, %v", got, err)
	}
}

type (
	city struct {
		Name    string
		Country *country
	}
	country struct {
		Code string
		Area int
	}
	team struct {
		ID   int64
		Name string `db:"title"`
		City city
	}
	member struct {
		ID     int64
		Name   string
		Team   team
		Former *team `db:"former_team"`
		Info   document
	}
	node struct {
		ID     int
		Parent *node
	}
)

// Columns with dots are stored in nested structs, by value and by pointer, at any depth.
func TestNestedStructs(t *testing.T) {
	conn, a := connect(t), arena.NewArena(8<<10, 0)
	const columns = `select n as id, 'm' || n as name, n * 10 as "team.id", 't' || n as "Team.Title", 'c' || n as "team.city.name",
		case when n = 2 then 'DE' end as "team.city.country.code", case when n = 2 then 7 end as "team.city.country.area",
		jsonb_build_object('A', n) as info`
	const former = `, case when n > 1 then n * 100 end as "former_team.id", case when n > 1 then 'old' end as "FORMER_TEAM.title",
		case when n > 1 then 'f' end as "former_team.city.name", case when n = 3 then 'FR' end as "former_team.city.country.code",
		case when n = 3 then 8 end as "former_team.city.country.area"`
	for _, m := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
		got, err := arenapgx.Collect[member](a, query(conn, columns+former+" from generate_series(1, 3) n", m))
		if err != nil {
			t.Fatal(err)
		}
		text := func(c city) string {
			if c.Country == nil {
				return c.Name
			}
			return fmt.Sprint(c.Name, *c.Country)
		}
		var all []string
		for _, x := range got {
			s := fmt.Sprint(x.ID, x.Name, x.Team.ID, x.Team.Name, text(x.Team.City), x.Info.A)
			if x.Former != nil {
				s += fmt.Sprint(x.Former.ID, x.Former.Name, text(x.Former.City))
			}
			all = append(all, s)
		}
		const want = "1m110t1c11 2m220t2c2{DE 7}2200oldf 3m330t3c33300oldf{FR 8}"
		if s := strings.Join(all, " "); strings.ReplaceAll(s, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("mode %v: %s, want %s", m, s, want)
		}
	}
	// Each row has its own struct for a pointer that is not nil.
	got, err := arenapgx.Collect[node](a, query(conn, `select n as id, nullif(n - 1, 0) as "parent.id", nullif(n - 2, -1) as "parent.parent.id", null::int as "parent.parent.parent.id", null::int as "parent.parent.parent.parent.id" from generate_series(1, 3) n`))
	if err == nil || !strings.Contains(err.Error(), `"Parent.Parent.Parent.Parent.Parent"`) {
		t.Error(got, err)
	}
	got, err = arenapgx.CollectLax[node](a, query(conn, `select n as id, nullif(n - 1, 0) as "parent.id", nullif(n - 2, 0) as "parent.parent.id" from generate_series(2, 3) n`))
	if err != nil || got[0].Parent.ID != 1 || got[0].Parent.Parent != nil || got[1].Parent.ID != 2 || got[1].Parent.Parent.ID != 1 {
		t.Error(got, err)
	}
	// A NULL among other values of a nested struct is an error, as in the row itself.
	if got, err := arenapgx.CollectLax[node](a, query(conn, `select 1 as id, null::int as "parent.id", 5 as "parent.parent.id"`)); err == nil {
		t.Error(got)
	}
	for sql, part := range map[string]string{
		`select 1 as id, 2 as "team.size"`:               `no field of arenapgx_test.member for column "team.size"`,
		`select 1 as id, 2 as "team.id"`:                 `no column for field "Name" of arenapgx_test.member`,
		`select 1 as id, 'x' as name, 2 as "team.id"`:    `no column for field "Team.title"`,
		`select '{}'::jsonb as team, 2 as "team.id"`:     `column "team.id"`,
		`select 1 as "team.id", 2 as "team.id"`:          `column "team.id"`,
		`select 1 as id, 2 as "name.x"`:                  `column "name.x"`,
		`select 1 as id, 2 as "team."`:                   `column "team."`,
		`select 1 as id, 2 as ".id"`:                     `column ".id"`,
		`select 1 as id, 2 as "formerteam.id"`:           `column "formerteam.id"`,
		`select 1 as id, 2 as "team.city.country"`:       `no column for field "Name"`,
		`select 'x'::text as "team.city", 1 as "team.i"`: `column "team.i"`,
	} {
		if _, err := arenapgx.Collect[member](a, query(conn, sql)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v lacks %q", sql, err, part)
		}
	}
}
