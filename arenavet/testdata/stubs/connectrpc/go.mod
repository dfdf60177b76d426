module connectrpc.com/connect

go 1.25.0
