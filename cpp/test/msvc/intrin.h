#pragma once
#include <emmintrin.h>
#include <x86intrin.h>
unsigned char _addcarry_u64(unsigned char, unsigned long long, unsigned long long, unsigned long long*);
unsigned char _subborrow_u64(unsigned char, unsigned long long, unsigned long long, unsigned long long*);
