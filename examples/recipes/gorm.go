package recipes

import (
	"context"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
	"gorm.io/gorm"
)

func CustomersGORM(ctx context.Context, db *gorm.DB, team string) ([]Customer, error) {
	rows, err := db.WithContext(ctx).Table("customers").Select("id", "full_name").Where("team = ?", team).Rows()
	if err != nil {
		return nil, err
	}
	return arenasql.Collect[Customer](arena.FromContext(ctx), rows) // in place of gorm's Find
}
