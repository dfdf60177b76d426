package arenapgx_test

import (
	"context"
	"fmt"
	"os"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/jackc/pgx/v5"
)

func Example() {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close(ctx)

	type Customer struct {
		ID   int64
		Name string `db:"full_name"`
		Tags []string
	}
	arena.NewAutoPool(0).Do(func(a *arena.Arena) {
		rows, _ := conn.Query(ctx, "select id, full_name, tags from customers")
		customers, err := arenapgx.Collect[Customer](a, rows)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range customers {
			fmt.Println(c.ID, c.Name, c.Tags)
		}
	})
}
