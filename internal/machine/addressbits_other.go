//go:build !wasm

package machine

// addressBits is the number of bits of a heap address, like heapAddrBits in the runtime's malloc.go: 48 on 64 bits, except
// on wasm and ios. On 32 bits it is 31, the value for mips, so that the sum of two sizes of up to MaxAlloc fits in a word.
const addressBits = 31 + 17*(^uintptr(0)>>63)
