// Package goroutine tells goroutines apart. Self is a number of the goroutine that calls
// it, never 0 nor Nobody. It is the same for as long as the goroutine lives, and no other
// living goroutine has it; one that is started later may. So who compares with the number
// of a goroutine must know that it has not ended.
//
// It is the address of the runtime's g, which is never freed and does not move, read from
// where the assembler has it. Where there is no assembly
// it is the number that a goroutine's stack trace begins with, which takes about a
// thousand times as long.
package goroutine

// Nobody is no goroutine's number.
const Nobody = ^uint64(0)
