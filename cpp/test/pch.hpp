// Compiled once for all tests: GoogleTest is most of what they include.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
