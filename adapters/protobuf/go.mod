module github.com/ebbpool/arena/adapters/protobuf

go 1.25.0

replace github.com/ebbpool/arena => ../../

require (
	github.com/ebbpool/arena v0.2.0
	google.golang.org/protobuf v1.36.11
)
