// Kept out of what go get brings: there is no Go here.
module github.com/ebbpool/arena/traces

go 1.25.0
