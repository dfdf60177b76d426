//go:build gc

#include "textflag.h"

// The vectors: firstHigh, firstLow, secondHigh, 0x0f, 0xe0 - 0x80, 0xf0 - 0x80, 0x80, quotes (marks, by
// their lower half, for putBlocks) and backslashes. Y1 is the block before, Y2 what is wrong so far.
#define LOAD \
	VBROADCASTI128 0(DX), Y7; \
	VBROADCASTI128 16(DX), Y8; \
	VBROADCASTI128 32(DX), Y9; \
	VBROADCASTI128 48(DX), Y10; \
	VBROADCASTI128 64(DX), Y11; \
	VBROADCASTI128 80(DX), Y12; \
	VBROADCASTI128 96(DX), Y13; \
	VBROADCASTI128 112(DX), Y14; \
	VBROADCASTI128 128(DX), Y15; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2

// What of the block in Y0 is not UTF-8 is added to Y2: Y1 is the block before. Y3 and Y4 change,
// and Y5 has the end of the one and the beginning of the other.
//
// First what can't stand in two bytes, by both halves of the first and the second's upper one.
// Then two bytes that go on must be where, and only where, a character of three began two
// bytes before, or one of four three before.
#define CHECK \
	VPERM2I128 $0x21, Y0, Y1, Y5; \
	VPALIGNR $15, Y5, Y0, Y3; \
	VPSRLW $4, Y3, Y4; \
	VPAND Y10, Y4, Y4; \
	VPSHUFB Y4, Y7, Y4; \
	VPAND Y10, Y3, Y3; \
	VPSHUFB Y3, Y8, Y3; \
	VPAND Y3, Y4, Y4; \
	VPSRLW $4, Y0, Y3; \
	VPAND Y10, Y3, Y3; \
	VPSHUFB Y3, Y9, Y3; \
	VPAND Y3, Y4, Y4; \
	VPALIGNR $14, Y5, Y0, Y3; \
	VPSUBUSB Y11, Y3, Y3; \
	VPALIGNR $13, Y5, Y0, Y6; \
	VPSUBUSB Y12, Y6, Y6; \
	VPOR Y3, Y6, Y3; \
	VPAND Y13, Y3, Y3; \
	VPXOR Y3, Y4, Y4; \
	VPOR Y4, Y2, Y2

// func scanText(v *[11][16]byte, text *byte, blocks int) (n int, bad bool)
TEXT ·scanText(SB), NOSPLIT, $0-33
	MOVQ text+8(FP), SI
	MOVQ blocks+16(FP), CX
	MOVQ SI, DI
	MOVQ v+0(FP), DX
	LOAD

block:
	VMOVDQU (SI), Y0

	// Where it ends: quotes, backslashes, and what is no more than 0x1f.
	VPCMPEQB Y14, Y0, Y3
	VPCMPEQB Y15, Y0, Y4
	VPOR Y3, Y4, Y3
	VPMINUB 144(DX), Y0, Y4
	VPCMPEQB Y4, Y0, Y4
	VPOR Y3, Y4, Y3
	VPMOVMSKB Y3, AX

	CHECK

	TESTL AX, AX
	JNZ found
	VMOVDQA Y0, Y1
	ADDQ $32, SI
	DECQ CX
	JNZ block
	JMP end

found:
	BSFL AX, AX
	ADDQ AX, SI

end:
	SUBQ DI, SI
	MOVQ SI, n+24(FP)
	VPTEST Y2, Y2
	SETNE bad+32(FP)
	VZEROUPPER
	RET

// What must not stand in a string as it is, of the block in Y0, is added to AX: marks, what is no
// more than 0x1f, and the last bytes of line ends of JavaScript. CHECK was before it.
#define MARK \
	VPSHUFB Y0, Y14, Y3; \
	VPCMPEQB Y3, Y0, Y3; \
	VPCMPEQB Y15, Y0, Y4; \
	VPOR Y3, Y4, Y3; \
	VPMINUB 144(DX), Y0, Y4; \
	VPCMPEQB Y4, Y0, Y4; \
	VPOR Y3, Y4, Y3; \
	VPALIGNR $14, Y5, Y0, Y4; \
	VPCMPEQB 176(DX), Y4, Y4; \
	VPALIGNR $15, Y5, Y0, Y6; \
	VPCMPEQB Y13, Y6, Y6; \
	VPAND Y4, Y6, Y4; \
	VPAND 208(DX), Y0, Y6; \
	VPCMPEQB 240(DX), Y6, Y6; \
	VPAND Y4, Y6, Y4; \
	VPOR Y3, Y4, Y3; \
	VPMOVMSKB Y3, AX

// func putBlocks(v *[19][16]byte, to, text *byte, length int) (n int, bad bool)
TEXT ·putBlocks(SB), NOSPLIT, $0-41
	MOVQ to+8(FP), R8
	MOVQ text+16(FP), SI
	MOVQ length+24(FP), CX
	MOVQ SI, DI
	MOVQ v+0(FP), DX
	LOAD
	SUBQ $32, CX
	JLT rest

block:
	VMOVDQU (SI), Y0
	VMOVDQU Y0, (R8)
	CHECK
	MARK
	TESTL AX, AX
	JNZ found
	VMOVDQA Y0, Y1
	ADDQ $32, SI
	ADDQ $32, R8
	SUBQ $32, CX
	JGE block

rest:
	// What is left, with zeros behind it, of which the last 16 bytes are loaded and those of
	// them that were seen shifted out.
	ADDQ $32, CX
	VMOVDQU -16(SI)(CX*1), X0
	LEAQ 288(DX), BX
	SUBQ CX, BX
	CMPQ CX, $16
	JGE more
	VPSHUFB (BX), X0, X0 // 288 - left: of 272 to 304
	VMOVDQU X0, (R8)
	JMP last

more:
	VMOVDQU X0, -16(R8)(CX*1)
	VPSHUFB 16(BX), X0, X3
	VMOVDQU (SI), X0
	VMOVDQU X0, (R8)
	VINSERTI128 $1, X3, Y0, Y0

last:
	CHECK
	MARK
	// The first of the zeros is what ends it, if nothing else does.

found:
	BSFL AX, AX
	ADDQ AX, SI

end:
	SUBQ DI, SI
	MOVQ SI, n+32(FP)
	VPTEST Y2, Y2
	SETNE bad+40(FP)
	VZEROUPPER
	RET

// func hasVectors() bool
TEXT ·hasVectors(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JB no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<27 | 1<<28), CX // XGETBV and AVX
	CMPL CX, $(1<<27 | 1<<28)
	JNE no
	XORL CX, CX
	XGETBV
	ANDL $6, AX // the system keeps the registers
	CMPL AX, $6
	JNE no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $5, BX // AVX2
	ANDL $1, BX
	MOVB BX, ret+0(FP)

no:
	RET
