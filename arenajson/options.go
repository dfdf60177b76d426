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

	// DisallowUnknownFields has a member that its struct doesn't have be an error, as
	// encoding/json's Decoder does.
	DisallowUnknownFields

	// UseNumber has numbers in an empty interface be json.Numbers, as encoding/json's
	// Decoder does.
	UseNumber

	// Strict has reading refuse, with a *StrictError, what encoding/json lets pass:
	// objects with two members of one name, strings that are not UTF-8, or have half a
	// surrogate pair, and names that differ from their field's in the case of letters
	// count as unknown.
	Strict
)
