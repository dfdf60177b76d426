module github.com/valyala/bytebufferpool

go 1.25.0

require github.com/ebbpool/arena v0.0.0
