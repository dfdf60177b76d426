module example.com

go 1.27

require github.com/ebbpool/arena v0.0.0

replace github.com/ebbpool/arena => ../../..
