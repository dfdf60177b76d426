// A module of its own, so that go get does not bring it.
module github.com/ebbpool/arena/internal/bench

go 1.25.0

replace github.com/ebbpool/arena => ../..

require github.com/ebbpool/arena v0.2.0
