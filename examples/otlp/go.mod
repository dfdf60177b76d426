module github.com/ebbpool/arena/examples/otlp

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../
	github.com/ebbpool/arena/adapters/grpc => ../../adapters/grpc
	github.com/ebbpool/arena/adapters/protobuf => ../../adapters/protobuf
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/grpc v0.2.0
	go.opentelemetry.io/proto/otlp v1.10.0
	google.golang.org/grpc v1.84.0
	google.golang.org/protobuf v1.36.11
)

require (
	github.com/ebbpool/arena/adapters/protobuf v0.2.0 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.28.0 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260706201446-f0a921348800 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800 // indirect
)
