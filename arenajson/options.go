package arenajson

// Option changes what a function of this package does. Options that mean nothing
// to a function are ignored by it.
type Option uint8

const (
	// NoEscapeHTML has Marshal and MarshalWrite write <, > and & in strings as they
	// are, as the Encoder of encoding/json does after SetEscapeHTML(false).
	// Otherwise they are \u003c, \u003e and \u0026, so that a document can stand in
	// a page.
	NoEscapeHTML Option = 1 + iota
)
