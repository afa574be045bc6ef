/* What the tests in C have in common. */
#ifndef MIRAB_TESTS_C_API_EXPECT_H
#define MIRAB_TESTS_C_API_EXPECT_H

#include <stdio.h>

static int failures = 0;

#define EXPECT(condition)                                            \
  do {                                                               \
    if (!(condition)) {                                              \
      ++failures;                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                \
  } while (0)

#endif
