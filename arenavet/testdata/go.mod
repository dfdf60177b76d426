module example.com

go 1.25.0

require (
	google.golang.org/grpc v0.0.0
	connectrpc.com/connect v0.0.0
	github.com/ebbpool/arena v0.0.0
	github.com/ebbpool/arena/adapters/connect v0.0.0
	github.com/ebbpool/arena/adapters/grpc v0.0.0
	github.com/ebbpool/arena/adapters/protobuf v0.0.0
	github.com/gin-gonic/gin v0.0.0
	github.com/hashicorp/golang-lru/v2 v2.0.0
	golang.org/x/sync v0.22.0
)

replace github.com/ebbpool/arena => ../..

replace github.com/gin-gonic/gin => ./stubs/gin

replace connectrpc.com/connect => ./stubs/connectrpc

replace github.com/ebbpool/arena/adapters/connect => ./stubs/connect

replace github.com/ebbpool/arena/adapters/grpc => ./stubs/grpc

replace github.com/ebbpool/arena/adapters/protobuf => ./stubs/protobuf

replace github.com/hashicorp/golang-lru/v2 => ./stubs/lru

replace google.golang.org/grpc => ./stubs/googlegrpc
