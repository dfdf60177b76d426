module github.com/ebbpool/arena/adapters/protobuf/gogo

go 1.25.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/protobuf => ../
)

require (
	github.com/VictoriaMetrics/easyproto v1.2.0
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/protobuf v0.2.0
	github.com/gogo/protobuf v1.3.2
	github.com/grafana/loki/pkg/push v0.0.0-20250630054201-94c0ba7b0952
	github.com/prometheus/prometheus v0.300.0
	go.etcd.io/etcd/api/v3 v3.5.21
	go.etcd.io/raft/v3 v3.6.0
	go.opentelemetry.io/collector/pdata v1.36.0
	k8s.io/cri-api v0.31.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/grafana/regexp v0.0.0-20240518133315-a468a5bfb3bc // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/prometheus/client_model v0.6.1 // indirect
	github.com/prometheus/common v0.60.1 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/net v0.41.0 // indirect
	golang.org/x/sys v0.33.0 // indirect
	golang.org/x/text v0.26.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250324211829-b45e905df463 // indirect
	google.golang.org/grpc v1.73.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)
