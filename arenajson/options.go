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

	// RecycleMaps has reading take the builtin maps that it makes from those of the
	// arena's former epochs, cleared: then a warm arena reads documents with maps
	// without an allocation. Up to 4,096 maps of a type stay with the arena, 256 of them
	// with up to 1,024 entries and the others with up to 8, and what they lead to with them,
	// until it reads the next document with this option, or is released. No limit counts
	// them.
	//
	// What it risks: such a map ends with the arena's epoch as a string there does, but
	// it is worse to be late. A goroutine that still reads it while the next epoch fills
	// it ends the program ("concurrent map read and map write"), and one that kept it
	// sees another document's members. Escape copies a map that holds memory of the
	// arena; one that does not, because it is empty or has numbers alone, it shares:
	// copy that with maps.Clone. In builds with -race, -asan or the tag arenacheck, and
	// with a nil arena, all maps are new.
	RecycleMaps
)
