module github.com/ebbpool/arena/adapters/connect

go 1.25.0

require connectrpc.com/connect v0.0.0

replace connectrpc.com/connect => ../connectrpc
