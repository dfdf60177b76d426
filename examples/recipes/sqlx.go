package recipes

import (
	"context"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
	"github.com/jmoiron/sqlx"
)

func CustomersSQLX(ctx context.Context, db *sqlx.DB, team string) ([]Customer, error) {
	rows, err := db.NamedQueryContext(ctx, "select id, full_name from customers where team = :team", map[string]any{"team": team})
	if err != nil {
		return nil, err
	}
	return arenasql.Collect[Customer](arena.FromContext(ctx), rows.Rows) // in place of sqlx's Select
}
