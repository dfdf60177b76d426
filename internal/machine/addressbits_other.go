//go:build !wasm

package machine

// addressBits is how many bits a heap address has, by heapAddrBits of the
// runtime's malloc.go: 48 on 64 bits, except on wasm and ios; 32 on 32 bits,
// but 31 on mips and mipsle, which are why all those have 31 here (and two sizes
// of up to MaxAlloc must add up in a word).
const addressBits = 31 + 17*(^uintptr(0)>>63)
