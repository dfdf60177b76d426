module github.com/ebbpool/arena/adapters/protobuf/gogo

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/protobuf => ../
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/protobuf v0.2.0
	github.com/gogo/protobuf v1.3.2
)

require google.golang.org/protobuf v1.36.11 // indirect
