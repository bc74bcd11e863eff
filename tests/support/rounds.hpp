// How often a randomized test tries anew.
#pragma once

namespace troupe::test {

// gcc says so by a macro of its own, clang by a feature.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// A quarter of `full` under the sanitizers, which look at what is done and not at what comes out,
/// and take five times as long.
constexpr int rounds(int full) { return sanitized ? full / 4 : full; }

/// The stride over cases that are all tried: 1, or `sparse` under the sanitizers. One that shares
/// no divisor with what the cases repeat by comes by every kind of them.
constexpr int one_of(int sparse) { return sanitized ? sparse : 1; }

} // namespace troupe::test
