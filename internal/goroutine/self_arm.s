//go:build gc

#include "textflag.h"

// func self() uintptr
TEXT ·self(SB), NOSPLIT, $0-4
	MOVW g, R0
	MOVW R0, ret+0(FP)
	RET
