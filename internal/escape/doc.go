// Package escape finds pointers into an arena and copies the memory they refer to to the heap. It compiles
// each type to a program: a list of slots, each with an operation (see "Compiled types" in package machine).
package escape
