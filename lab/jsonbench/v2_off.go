//go:build !goexperiment.jsonv2

package jsonbench

var v2 []Codec
