// A module of its own, because kfake needs a newer franz-go, and that a newer Go.
module github.com/ebbpool/arena/adapters/franz/broker

go 1.26.0

replace (
	github.com/ebbpool/arena => ../../../
	github.com/ebbpool/arena/adapters/franz => ../
)

require (
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/adapters/franz v0.2.0
	github.com/twmb/franz-go v1.22.3
	github.com/twmb/franz-go/pkg/kfake v0.0.0-20260918054303-01f206a7e32c
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/twmb/franz-go/pkg/kmsg v1.15.1 // indirect
)
