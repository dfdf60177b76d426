module example.com/convert

go 1.25.0

require github.com/ebbpool/arena v0.0.0

replace github.com/ebbpool/arena => ../../../..
