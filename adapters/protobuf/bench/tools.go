//go:build tools

package main

import _ "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto" // run by generate
