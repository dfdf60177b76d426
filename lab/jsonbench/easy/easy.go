// Package easy has types for the documents that codecs are measured with, and the code
// for them, as easyjson generates it. That is 10,000 lines, which are not kept: "go
// generate" makes them, and without it there are no types.
package easy

//go:generate go run ./generate

// Types has, by the name of a document, what makes a value for it.
var Types = map[string]func() any{}
