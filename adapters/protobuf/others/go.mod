module github.com/ebbpool/arena/adapters/protobuf/others

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/protobuf => ../
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/protobuf v0.2.0
	github.com/envoyproxy/go-control-plane/envoy v1.36.0
	github.com/prometheus/client_model v0.6.2
	go.opentelemetry.io/proto/otlp v1.9.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800
	google.golang.org/protobuf v1.36.11
)

require (
	cel.dev/expr v0.24.0 // indirect
	github.com/cncf/xds/go v0.0.0-20250501225837-2ac532fd4443 // indirect
	github.com/envoyproxy/protoc-gen-validate v1.2.1 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.27.2 // indirect
	github.com/planetscale/vtprotobuf v0.6.1-0.20240319094008-0393e58bdf10 // indirect
	golang.org/x/net v0.43.0 // indirect
	golang.org/x/sys v0.35.0 // indirect
	golang.org/x/text v0.28.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20250825161204-c5933d9347a5 // indirect
	google.golang.org/grpc v1.75.1 // indirect
)
