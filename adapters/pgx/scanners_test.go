package arenapgx_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

type person struct {
	Name string
	Age  int
}

func (p *person) ScanNull() error { p.Name = "NULL"; return nil }
func (p *person) ScanIndex(i int) any {
	if i == 0 {
		return &marked{p}
	}
	return &p.Age
}

type marked struct{ p *person }

func (m *marked) ScanText(v pgtype.Text) error { m.p.Name = "scanned:" + v.String; return nil }

// item scans rows, and composites if it is one column of several.
type item struct {
	ID   int64
	Text string
}

func (i *item) ScanRow(rows pgx.Rows) error {
	if len(rows.RawValues()) != 2 {
		return errors.New("not an item")
	}
	return rows.Scan(&i.ID, &i.Text)
}

type pair map[string]any

func (p *pair) ScanRow(rows pgx.Rows) error {
	values, err := rows.Values()
	*p = pair{}
	for i, v := range values {
		(*p)[rows.FieldDescriptions()[i].Name] = v
	}
	return err
}

// Types that implement pgtype.CompositeIndexScanner scan composites themselves, wherever a column may be
// decoded.
func TestCompositeIndexScanner(t *testing.T) {
	conn, a := connect(t), arena.NewArena(8<<10, 0)
	for _, sql := range []string{"drop type if exists crew, person", "create type person as (name text, age int)", "create type crew as (first person, others person[])"} {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"person", "_person", "crew"} {
		typ, err := conn.LoadType(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		conn.TypeMap().RegisterType(typ)
	}
	type crew struct {
		First  person
		Others []person
	}
	type pointers struct {
		First  *person
		Others []*person
	}
	const one, null, list = "row('ann', 7)::person", "null::person", "array[row('ann', 7)::person, null, row(null, 8)::person]"
	for _, sql := range []string{"select " + one + " as x", "select " + null + " as x", "select row(null, 1)::person as x"} {
		sameWhole[person](t, conn, a, sql)
		sameWhole[*person](t, conn, a, sql)
		sameFields[struct{ X person }](t, conn, a, sql)
		sameFields[struct{ X *person }](t, conn, a, sql)
	}
	for _, sql := range []string{"select " + list + " as x", "select null::person[] as x", "select '{}'::person[] as x"} {
		sameWhole[[]person](t, conn, a, sql)
		sameWhole[[]*person](t, conn, a, sql)
		sameFields[struct{ X []person }](t, conn, a, sql)
		sameFields[struct{ X [3]person }](t, conn, a, sql)
	}
	for _, sql := range []string{"select row(" + one + ", " + list + ")::crew as x", "select row(null, null)::crew as x"} {
		sameWhole[crew](t, conn, a, sql)
		sameWhole[pointers](t, conn, a, sql)
		sameFields[struct{ X crew }](t, conn, a, sql)
	}
	got, err := arenapgx.CollectTo[person](a, query(conn, "select "+one))
	if err != nil || got[0] != (person{"scanned:ann", 7}) {
		t.Error(got, err)
	}
}

// sameFields compares Collect and CollectByPos with pgx's functions.
func sameFields[T any](t *testing.T, conn *pgx.Conn, a *arena.Arena, sql string) {
	t.Helper()
	for _, by := range []struct {
		ours func(*arena.Arena, pgx.Rows) ([]T, error)
		pgx  pgx.RowToFunc[T]
	}{{arenapgx.Collect[T], pgx.RowToStructByName[T]}, {arenapgx.CollectByPos[T], pgx.RowToStructByPos[T]}} {
		want, wrong := pgx.CollectRows(query(conn, sql), by.pgx)
		got, err := by.ours(a, query(conn, sql))
		if (err == nil) != (wrong == nil) || wrong == nil && len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s into %T: %+v (%v), want %+v (%v)", sql, want, got, err, want, wrong)
		}
	}
}

// A pgx.RowScanner scans rows if the T takes the whole row, and fields if pgx does so.
func TestRowScanner(t *testing.T) {
	conn, a := connect(t), arena.NewArena(8<<10, 0)
	for _, sql := range []string{
		"select 7::int8 as id, 'x' as text union all select 8, 'y'", "select 7::int8 as id", "select 1::int8 as id, null::text as text", "select 1::int8, 'x', 2",
		"select 7::int8, 'x' where false", "select 1/0, 'x'",
	} {
		sameWhole[item](t, conn, a, sql)
		sameWhole[pair](t, conn, a, sql)
		sameFields[item](t, conn, a, sql)
		sameFields[struct{ Text item }](t, conn, a, sql)
		got, err := arenapgx.Collect[pair](a, query(conn, sql))
		want, wrong := pgx.CollectRows(query(conn, sql), pgx.RowTo[pair])
		if (err == nil) != (wrong == nil) || wrong == nil && len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, want %v, %v", sql, got, err, want, wrong)
		}
	}
	sameFields[struct{ ID item }](t, conn, a, "select 7::int8 as id")
	sameFields[struct{ ID, Text item }](t, conn, a, "select 7::int8 as id, 'x' as text")
}

// Each interface through which the installed version of pgx lets a type decode values is known to this
// package. Types that implement an unknown one would be decoded field by field without calling their methods.
func TestAllScannersAreKnown(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/jackc/pgx/v5/pgtype").Output()
	if err != nil {
		t.Skip("no sources of pgx: ", err)
	}
	known, err := os.ReadFile("target.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := 0
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			i, ok := spec.Type.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, m := range i.Methods.List {
				if len(m.Names) == 0 || spec.Name.Name == "ScanPlan" {
					continue
				}
				if method := m.Names[0].Name; strings.HasPrefix(method, "Scan") {
					found++
					if !strings.Contains(string(known), "pgtype."+spec.Name.Name+"]") && !strings.Contains(string(known), `"`+method+`"`) {
						t.Errorf("target.go does not know pgtype.%s", spec.Name.Name)
					}
					break
				}
			}
			return true
		})
	}
	if found < 20 {
		t.Errorf("%d interfaces in %v", found, files)
	}
}

func TestCollectExactlyOne(t *testing.T) {
	conn, a := connect(t), arena.NewArena(8<<10, 0)
	for sql, want := range map[string]error{"select 1": nil, "select 1 where false": pgx.ErrNoRows, "select generate_series(1, 2)": pgx.ErrTooManyRows} {
		got, err := arenapgx.CollectExactlyOne[int](a, query(conn, sql))
		if !errors.Is(err, want) || (got != nil) != (err == nil) {
			t.Errorf("%s: %v, %v", sql, got, err)
		}
		if _, wrong := pgx.CollectExactlyOneRow(query(conn, sql), pgx.RowTo[int]); !errors.Is(wrong, want) {
			t.Errorf("%s: pgx has %v", sql, wrong)
		}
	}
	for _, sql := range []string{"select 1/0", "select 1 / (2 - n) from generate_series(1, 2) n"} {
		if got, err := arenapgx.CollectExactlyOne[int](a, query(conn, sql)); err == nil {
			t.Errorf("%s: %v", sql, *got)
		}
	}
}

func TestAppendRows(t *testing.T) {
	conn, a := connect(t), arena.NewArena(8<<10, 0)
	s, err := arenapgx.AppendRows[string](a, nil, query(conn, "select 'a' union all select 'b'"))
	if err == nil {
		s, err = arenapgx.AppendRows(a, s, query(conn, "select 'c'"))
	}
	if err != nil || !reflect.DeepEqual(s, []string{"a", "b", "c"}) {
		t.Error(s, err)
	}
	if got, err := arenapgx.AppendRows(a, s, query(conn, "select (1 / (3 - n))::text from generate_series(1, 5) n")); err == nil || !reflect.DeepEqual(got, s) {
		t.Error(got, err)
	}
}

// All yields the same rows as Collect, also if the loop's body resets the arena, and closes them however it
// ends.
func TestAll(t *testing.T) {
	conn, a := connect(t), arena.NewArena(8<<10, 0)
	want, err := arenapgx.Collect[customer](nil, query(conn, customers, 500))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for c, err := range arenapgx.All[customer](a, query(conn, customers, 500)) {
		if err != nil || describe(*c) != describe(want[i]) {
			t.Fatal(i, err)
		}
		if i++; i%3 == 0 {
			a.Reset()
		}
	}
	if i != len(want) {
		t.Errorf("%d rows of %d", i, len(want))
	}
	for range arenapgx.All[customer](a, query(conn, customers, 500)) {
		break
	}
	for sql, errs := range map[string]string{"select n, n from generate_series(1, 3) n": "2 columns", "select 6 / (3 - n) from generate_series(1, 5) n": "division by zero", "select nothing": "nothing"} {
		var got error
		n := 0
		for x, err := range arenapgx.All[int](a, query(conn, sql)) {
			if (x == nil) != (err != nil) || got != nil {
				t.Errorf("%s: %v, %v after %v", sql, x, err, got)
			}
			got = err
			n++
		}
		if got == nil || !strings.Contains(got.Error(), errs) {
			t.Errorf("%s: %d rows, %v", sql, n, got)
		}
	}
	func() {
		defer func() {
			if v := recover(); fmt.Sprint(v) != "stop" {
				t.Error(v)
			}
		}()
		for range arenapgx.All[int](a, query(conn, "select generate_series(1, 10000)")) {
			panic("stop")
		}
	}()
	if n, err := arenapgx.One[int](a, query(conn, "select 42")); err != nil || *n != 42 { // the connection is free
		t.Error(n, err)
	}
}
