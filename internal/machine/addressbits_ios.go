package machine

// addressBits is how many bits a heap address has: the runtime keeps to 40 of
// them on iOS, because its tables for more would be too large there.
const addressBits = 40
