module github.com/ebbpool/arena/lab

go 1.25.0

replace (
	github.com/ebbpool/arena => ..
	github.com/ebbpool/arena/lab/load => ./load
)

require (
	github.com/bytedance/sonic v1.15.5
	github.com/dgraph-io/ristretto/v2 v2.4.2
	github.com/ebbpool/arena v0.2.0
	github.com/ebbpool/arena/lab/load v0.2.0
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875
	github.com/goccy/go-json v0.12.0
	github.com/json-iterator/go v1.1.12
	github.com/klauspost/compress v1.20.3
	github.com/mailru/easyjson v0.9.2
	github.com/minio/simdjson-go v0.4.5
	github.com/montanaflynn/stats v0.7.1
	github.com/prometheus/procfs v0.19.2
	github.com/segmentio/encoding v0.5.4
	github.com/tidwall/gjson v1.18.0
	github.com/urfave/cli/v3 v3.14.0
	github.com/valyala/bytebufferpool v1.0.0
	github.com/valyala/fastjson v1.6.10
	golang.org/x/perf v0.0.0-20260112171951-5abaabe9f1bd
	gonum.org/v1/plot v0.17.0
	modernc.org/memory v1.12.1
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/bytedance/gopkg v0.1.3 // indirect
	github.com/bytedance/sonic/loader v0.5.3 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/cloudwego/base64x v0.1.6 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/josharian/intern v1.0.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.9 // indirect
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/segmentio/asm v1.2.1 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
	github.com/twitchyliquid64/golang-asm v0.15.1 // indirect
	golang.org/x/arch v0.0.0-20210923205945-b76863e36670 // indirect
	golang.org/x/image v0.35.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
	golang.org/x/text v0.38.0 // indirect
)

tool github.com/mailru/easyjson/easyjson
