module github.com/ebbpool/arena/adapters/connect

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../
	github.com/ebbpool/arena/adapters/protobuf => ../protobuf
)

require (
	connectrpc.com/connect v1.20.0
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/protobuf v0.2.0
	google.golang.org/protobuf v1.36.11
)
