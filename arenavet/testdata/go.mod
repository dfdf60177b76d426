module example.com

go 1.25.0

require (
	github.com/ebbpool/arena v0.0.0
	github.com/ebbpool/arena/adapters/grpc v0.0.0
	github.com/ebbpool/arena/adapters/protobuf v0.0.0
	golang.org/x/sync v0.22.0
)

replace github.com/ebbpool/arena => ../..

replace github.com/ebbpool/arena/adapters/grpc => ./stubs/grpc

replace github.com/ebbpool/arena/adapters/protobuf => ./stubs/protobuf
