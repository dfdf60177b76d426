// Kept out of what go get brings: there is no Go here.
module github.com/ebbpool/arena/cpp

go 1.25.0
