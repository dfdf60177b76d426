module github.com/ebbpool/arena/adapters/franz

go 1.25.0

replace github.com/ebbpool/arena => ../../

require (
	github.com/ebbpool/arena v0.2.0
	github.com/klauspost/compress v1.19.2
	github.com/twmb/franz-go v1.21.7
	github.com/twmb/franz-go/pkg/kmsg v1.13.1
)

require github.com/pierrec/lz4/v4 v4.1.26 // indirect
