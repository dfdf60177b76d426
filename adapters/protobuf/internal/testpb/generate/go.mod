module github.com/ebbpool/arena/adapters/protobuf/internal/testpb/generate

go 1.25.0

require (
	github.com/bufbuild/protocompile v0.14.1
	google.golang.org/protobuf v1.36.11
)

require golang.org/x/sync v0.8.0 // indirect
