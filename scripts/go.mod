module github.com/ebbpool/arena/scripts

go 1.25.0
