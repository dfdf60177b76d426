module github.com/ebbpool/arena/examples/small

go 1.25.0

replace github.com/ebbpool/arena => ../../

require github.com/ebbpool/arena v0.2.0

require golang.org/x/sync v0.22.0
