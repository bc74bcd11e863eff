#include "bench/peak.hpp"

#include "bench/report.hpp"

#include <immintrin.h>

#include <algorithm>

namespace troupe::bench {

namespace {

// Twelve independent sums hide the latency of two units with four cycles each. In one statement,
// because the compiler would keep sums in memory between two of them.
#define TROUPE_TWELVE_SUMS                                                                         \
  "vfmadd231ps %12, %12, %0\n vfmadd231ps %12, %12, %1\n vfmadd231ps %12, %12, %2\n"               \
  "vfmadd231ps %12, %12, %3\n vfmadd231ps %12, %12, %4\n vfmadd231ps %12, %12, %5\n"               \
  "vfmadd231ps %12, %12, %6\n vfmadd231ps %12, %12, %7\n vfmadd231ps %12, %12, %8\n"               \
  "vfmadd231ps %12, %12, %9\n vfmadd231ps %12, %12, %10\n vfmadd231ps %12, %12, %11\n"
#define TROUPE_ADD_TO_SUMS                                                                         \
  asm volatile(TROUPE_TWELVE_SUMS TROUPE_TWELVE_SUMS                                               \
               : "+v"(s[0]), "+v"(s[1]), "+v"(s[2]), "+v"(s[3]), "+v"(s[4]), "+v"(s[5]),           \
                 "+v"(s[6]), "+v"(s[7]), "+v"(s[8]), "+v"(s[9]), "+v"(s[10]), "+v"(s[11])          \
               : "v"(factor))

/// @returns the number of operations
[[gnu::target("avx512f")]] double operate_512(long times) {
  __m512 s[12] = {}, factor = {};
  for (long i = 0; i < times; ++i)
    TROUPE_ADD_TO_SUMS;
  return static_cast<double>(times) * 24 * 16 * 2;
}

[[gnu::target("avx2,fma")]] double operate_256(long times) {
  __m256 s[12] = {}, factor = {};
  for (long i = 0; i < times; ++i)
    TROUPE_ADD_TO_SUMS;
  return static_cast<double>(times) * 24 * 8 * 2;
}

template <class Operate>
double most_per_second(Operate operate) {
  double most = 0;
  for (int run = 0; run < 50; ++run) {
    const auto began = now();
    const auto operations = operate(100'000);
    most = std::max(most, operations / (now() - began));
  }
  return most;
}

} // namespace

double measured_peak() {
  double most = 0;
  if (__builtin_cpu_supports("fma"))
    most = most_per_second(operate_256);
  if (__builtin_cpu_supports("avx512f"))
    most = std::max(most, most_per_second(operate_512));
  return most;
}

} // namespace troupe::bench
