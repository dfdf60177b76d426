//go:build gc

#include "textflag.h"

// func self() uintptr
TEXT ·self(SB), NOSPLIT, $0-8
	MOVD g, R2
	MOVD R2, ret+0(FP)
	RET
