// Package mock tests arenapgx with pgxmock, whose rows have no connection and no types.
package mock

import (
	"errors"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/jackc/pgx/v5"
	"github.com/pashagolub/pgxmock/v4"
)

type team struct {
	ID   int
	Name string
}

type customer struct {
	ID   int64
	Name string `db:"full_name"`
	Tags []string
	Note *string
	Team *team
}

type item struct {
	ID   int64
	Text string
}

func (i *item) ScanRow(rows pgx.Rows) error { return rows.Scan(&i.ID, &i.Text) }

func TestMock(t *testing.T) {
	mock, err := pgxmock.NewConn()
	if err != nil {
		t.Fatal(err)
	}
	defer mock.Close(t.Context())
	query := func(rows *pgxmock.Rows) pgx.Rows {
		mock.ExpectQuery("select").WillReturnRows(rows).RowsWillBeClosed()
		got, err := mock.Query(t.Context(), "select")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	note := "n"
	table := func() *pgxmock.Rows {
		return pgxmock.NewRows([]string{"full_name", "ID", "tags", "note", "team.id", "team.name"}).
			AddRow("Jo", int64(1), []string{"a"}, &note, 7, "red").AddRow("Mia", int64(2), nil, nil, nil, nil)
	}
	a := arena.NewArena(1<<10, 0)
	got, err := arenapgx.Collect[customer](a, query(table()))
	want := []customer{{1, "Jo", []string{"a"}, &note, &team{7, "red"}}, {2, "Mia", nil, nil, nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	one, err := arenapgx.CollectExactlyOne[customer](a, query(table()))
	if one != nil || !errors.Is(err, pgx.ErrTooManyRows) {
		t.Error(one, err)
	}
	for x, err := range arenapgx.All[customer](a, query(table())) {
		if err != nil || x.ID != 1 {
			t.Error(x, err)
		}
		break
	}
	if _, err := arenapgx.Collect[customer](a, query(pgxmock.NewRows([]string{"id"}).AddRow(int64(1)))); err == nil {
		t.Error("no error for missing columns")
	}
	n, err := arenapgx.One[int](a, query(pgxmock.NewRows([]string{"count"}).AddRow(5)))
	if err != nil || *n != 5 {
		t.Error(n, err)
	}
	items, err := arenapgx.CollectTo[item](a, query(pgxmock.NewRows([]string{"id", "text"}).AddRow(int64(3), "x")))
	if err != nil || !reflect.DeepEqual(items, []item{{3, "x"}}) {
		t.Error(items, err)
	}
	lost := errors.New("connection lost")
	if got, err := arenapgx.Collect[int](a, query(pgxmock.NewRows([]string{"n"}).AddRow(1).AddRow(2).RowError(1, lost))); got != nil || !errors.Is(err, lost) {
		t.Error(got, err)
	}
	if _, err := arenapgx.One[int](a, query(pgxmock.NewRows([]string{"n"}).AddRow("text"))); err == nil {
		t.Error("text read as an int")
	}
	if err := mock.ExpectationsWereMet(); err != nil {
		t.Error(err)
	}
}
