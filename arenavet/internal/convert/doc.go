// Package convert converts a program so that the memory of one function's call comes from an arena.
//
// The user names the function, the root, and the types that end with the arena. A conversion has these
// stages, one file or a few for each:
//
//	model.go     the types that the stages share
//	program.go   load the packages, find the root, ask the compiler what goes to the heap
//	reach.go     the functions that a call of the root may run
//	types.go     which types are owned, and which lead to owned values
//	check.go     warn of each place that may hold memory of the arena after its end; places.go, writes.go,
//	             interior.go, escapes.go, libraries.go
//	thread.go    the functions that take the arena, and their allocation sites; sites.go, text.go
//	edit.go      the edits of each site, printed, type-checked, and dropped alone if they do not compile
//	inverse.go   the result without the arena must be the original
//	verify.go    the program's tests, with a nil arena and with one that ends with each call of the root
//
// The check goes by types and not by values. Owned values, and values that lead to them, may be stored in locals,
// results and owned objects. A store anywhere else is a warning, which the user answers with another owned type,
// with -trust, or by leaving the program as it is. Strings and slices without owned elements are not owned; with
// -strings one flow graph finds those that reach nothing that outlives the root.
package convert
