module github.com/ebbpool/arena/lab/load

go 1.25.0

replace github.com/ebbpool/arena => ../..

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/bytedance/sonic v1.15.5
	github.com/ebbpool/arena v0.2.0
	github.com/goccy/go-json v0.12.0
	github.com/google/pprof v0.0.0-20250317173921-a4b03ec1a45e
	github.com/montanaflynn/stats v0.7.1
	github.com/prometheus/procfs v0.19.2
	github.com/valyala/fasthttp v1.72.0
	golang.org/x/sys v0.46.0
)

require (
	github.com/andybalholm/brotli v1.2.1 // indirect
	github.com/bytedance/gopkg v0.1.3 // indirect
	github.com/bytedance/sonic/loader v0.5.3 // indirect
	github.com/cloudwego/base64x v0.1.6 // indirect
	github.com/klauspost/compress v1.18.6 // indirect
	github.com/klauspost/cpuid/v2 v2.2.9 // indirect
	github.com/twitchyliquid64/golang-asm v0.15.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/arch v0.0.0-20210923205945-b76863e36670 // indirect
)
