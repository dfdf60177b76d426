module github.com/ebbpool/arena/adapters/protobuf/bench

go 1.26.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/protobuf => ../
)

require (
	buf.build/go/hyperpb v0.1.3
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/protobuf v0.2.0
	github.com/planetscale/vtprotobuf v0.6.1-0.20240319094008-0393e58bdf10
	go.opentelemetry.io/proto/otlp v1.11.1
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/stretchr/testify v1.10.0 // indirect
	github.com/timandy/routine v1.1.5 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
