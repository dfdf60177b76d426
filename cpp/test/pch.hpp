// A precompiled header, because GoogleTest is most of what the tests include.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
