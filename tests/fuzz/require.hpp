#pragma once
#include <cstdio>
#include <cstdlib>

/// Ends the program, so that the fuzzer keeps the input that broke the property.
#define REQUIRE(condition)                                                         \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)
