package recipes

import (
	"context"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/jackc/pgx/v5/pgxpool"
)

type Customer struct {
	ID   int64
	Name string `db:"full_name"`
}

func Customers(ctx context.Context, db *pgxpool.Pool, team string) ([]Customer, error) {
	a := arena.FromContext(ctx)
	rows, err := db.Query(ctx, "select id, full_name from customers where team = $1", team)
	if err != nil {
		return nil, err
	}
	return arenapgx.Collect[Customer](a, rows) // closes rows
}
