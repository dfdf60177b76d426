package arenajson

// A byte of each of a word's eight: what both directions look at eight bytes at a time with.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)
