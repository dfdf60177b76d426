//go:build !goexperiment.jsonv2

package arenajson

// onV2 reports whether this Go's encoding/json is the one that is built on v2, as by
// default from Go 1.27 on.
const onV2 = false
