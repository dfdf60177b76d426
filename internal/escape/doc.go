// Package escape finds what lies in an arena, and copies it to the heap. It compiles each
// type to a program: the slots, each with an op (see "Compiled types" in package machine).
package escape
