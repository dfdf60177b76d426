module github.com/ebbpool/arena/adapters/pgx/mock

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/pgx => ../
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/pgx v0.2.0
	github.com/jackc/pgx/v5 v5.7.4
	github.com/pashagolub/pgxmock/v4 v4.9.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.2 // indirect
	golang.org/x/crypto v0.37.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)
