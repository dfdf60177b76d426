module example.com/app

go 1.25.0

require (
	example.com/lib v1.0.0
	github.com/ebbpool/arena v0.0.0
)

replace example.com/lib => ../lib
