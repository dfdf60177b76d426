module github.com/ebbpool/arena/adapters/sql/drivers

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/sql => ../
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/sql v0.2.0
	github.com/go-sql-driver/mysql v1.9.3
	github.com/jackc/pgx/v5 v5.13.0
)

require (
	filippo.io/edwards25519 v1.1.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)
