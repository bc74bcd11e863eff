// Number of rounds of randomized tests.
#pragma once

namespace troupe::test {

// gcc has a macro for this, clang a feature.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// A quarter of `full` under the sanitizers, which check how code runs and not its results, and
/// take five times as long.
constexpr int rounds(int full) { return sanitized ? full / 4 : full; }

/// The stride over exhaustive cases: 1, or `sparse` under the sanitizers. A stride without a common
/// divisor with the cases' period reaches every kind.
constexpr int one_of(int sparse) { return sanitized ? sparse : 1; }

} // namespace troupe::test
