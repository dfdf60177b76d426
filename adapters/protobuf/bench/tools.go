//go:build tools

package bench

import _ "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto" // run by generate
