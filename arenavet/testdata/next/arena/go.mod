module github.com/ebbpool/arena

go 1.25.0
