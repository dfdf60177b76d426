module github.com/ebbpool/arena/adapters/arrow

go 1.25.0

replace github.com/ebbpool/arena => ../../

require (
	github.com/apache/arrow-go/v18 v18.8.0
	github.com/ebbpool/arena v0.2.0
)

require (
	github.com/goccy/go-json v0.10.6 // indirect
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260112195511-716be5621a96 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
