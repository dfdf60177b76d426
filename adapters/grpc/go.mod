module github.com/ebbpool/arena/adapters/grpc

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../
	github.com/ebbpool/arena/adapters/protobuf => ../protobuf
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/protobuf v0.2.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800
	google.golang.org/grpc v1.84.0
	google.golang.org/protobuf v1.36.11
)

require (
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
)
