//go:build gc && (mips || mipsle)

#include "textflag.h"

// func self() uintptr
TEXT ·self(SB), NOSPLIT, $0-4
	MOVW g, R1
	MOVW R1, ret+0(FP)
	RET
