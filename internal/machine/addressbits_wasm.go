package machine

// addressBits is how many bits a heap address has: WebAssembly's memory has at
// most 4 GB, although its words have 64 bits.
const addressBits = 32
