// Package goroutine identifies goroutines. Self returns the number of the calling goroutine, which is never 0
// or Nobody. A goroutine keeps its number, and no two living goroutines have the same one. Numbers are reused
// after a goroutine has ended, so compare only numbers of living goroutines.
//
// The number is the address of the runtime's g, which does not move and is never freed. Assembly reads it on
// all ports of the gc compiler. Other compilers use the number in a stack trace of the goroutine.
package goroutine

// Nobody is never the number of a goroutine.
const Nobody = ^uint64(0)
