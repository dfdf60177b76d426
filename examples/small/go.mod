module github.com/ebbpool/arena/examples/small

go 1.25.0

replace github.com/ebbpool/arena => ../../

require github.com/ebbpool/arena v0.0.0-00010101000000-000000000000
