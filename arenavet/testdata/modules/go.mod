module example.com/modules

go 1.25.0

replace (
	github.com/ebbpool/arena => ./arena
	github.com/valyala/bytebufferpool => ./bytebufferpool
)

require (
	github.com/gofiber/fiber/v2 v2.52.9
	github.com/valyala/fasthttp v1.72.0
	github.com/valyala/quicktemplate v1.8.0
)

require (
	github.com/andybalholm/brotli v1.2.1 // indirect
	github.com/ebbpool/arena v0.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.18.6 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/philhofer/fwd v1.1.3-0.20240916144458-20a13a1f6b7c // indirect
	github.com/rivo/uniseg v0.2.0 // indirect
	github.com/tinylib/msgp v1.2.5 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
)
