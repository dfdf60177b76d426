package recipes

import (
	"context"
	"database/sql"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
)

func CustomersSQL(ctx context.Context, db *sql.DB, team string) ([]Customer, error) {
	a := arena.FromContext(ctx)
	rows, err := db.QueryContext(ctx, "select id, full_name from customers where team = ?", team)
	if err != nil {
		return nil, err
	}
	return arenasql.Collect[Customer](a, rows) // closes rows
}
