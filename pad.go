package arena

// What fills Arena and account up to whole cache lines, on 64 and on 32 bits;
// a test says what to write here when they change.
const (
	is64       = ^uintptr(0) >> 63
	arenaPad   = 8*is64 + 56*(1-is64)
	accountPad = 28 * (1 - is64)
)
