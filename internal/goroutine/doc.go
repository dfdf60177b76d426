// Package goroutine identifies goroutines. Self returns the number of the calling goroutine, which is never
// 0 or Nobody. A goroutine keeps its number, and no two living goroutines have the same one, but a number is
// used again after its goroutine has ended. So compare only with numbers of goroutines that are alive.
//
// The number is the address of the runtime's g, which does not move and is never freed. Assembly reads it on
// all ports of Go's own compiler; for other compilers it is the number in a stack trace of the goroutine.
package goroutine

// Nobody is the number of no goroutine.
const Nobody = ^uint64(0)
