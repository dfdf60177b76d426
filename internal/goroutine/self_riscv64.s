//go:build gc

#include "textflag.h"

// func self() uintptr
TEXT ·self(SB), NOSPLIT, $0-8
	MOV g, X10
	MOV X10, ret+0(FP)
	RET
