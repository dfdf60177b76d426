package machine

// addressBits is the number of bits of a heap address. WebAssembly has at most 4 GB of memory, although its words have 64
// bits.
const addressBits = 32
