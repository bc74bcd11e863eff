// One list of fields per struct serves saved states (messages/checkpoint/named_archive.hpp), the
// wire and the log (CAF, in messages/inspection/inspect.hpp), and equality:
//
//   struct PullParameters {
//     WorkerId worker = 0;
//     Version known = 0;
//     TROUPE_FIELDS(worker, known);
//   };
//
// Fields are passed as the arguments of a call, not as a std::tuple: a tuple, std::apply and the
// tuple's comparison make the compiler instantiate a class or a function for each field of each
// struct.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Lists the fields of the enclosing struct once, in declaration order. `with_fields(use)` calls
/// `use(field...)` with a reference to each field and returns the result.
#define TROUPE_FIELDS(...)                                                                         \
  template <class Use>                                                                             \
  decltype(auto) with_fields(Use&& use) {                                                          \
    return use(__VA_ARGS__);                                                                       \
  }                                                                                                \
  template <class Use>                                                                             \
  decltype(auto) with_fields(Use&& use) const {                                                    \
    return use(__VA_ARGS__);                                                                       \
  }                                                                                                \
  static constexpr const char* field_names = #__VA_ARGS__

namespace troupe {

/// A struct with TROUPE_FIELDS.
template <class T>
concept HasFields = requires {
  T::field_names;
};

/// The names in "a, b_c", as TROUPE_FIELDS keeps them.
std::vector<std::string> split_names(std::string_view listed);

namespace detail {

/// Stands for a member of any type; never evaluated.
template <class Whole>
struct AnyMember {
  explicit AnyMember(std::size_t);
  template <class T, class = std::enable_if_t<!std::is_same_v<T, Whole>>>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool made_of(std::index_sequence<I...>) {
  return requires { T{AnyMember<T>{I}...}; };
}

constexpr std::size_t count_names(std::string_view names) {
  std::size_t count = names.empty() ? 0 : 1;
  for (const auto c : names)
    count += c == ',' ? 1 : 0;
  return count;
}

/// Fails to compile if `TROUPE_FIELDS` does not list every member of an aggregate.
template <class T>
constexpr void check_fields() {
  constexpr auto listed = count_names(T::field_names);
  if constexpr (std::is_aggregate_v<T>)
    static_assert(made_of<T>(std::make_index_sequence<listed>{})
                    && !made_of<T>(std::make_index_sequence<listed + 1>{}),
                  "TROUPE_FIELDS misses a member, or names too many");
}

} // namespace detail

/// Compares field by field.
template <HasFields T>
bool operator==(const T& a, const T& b) {
  return a.with_fields([&b](const auto&... mine) {
    return b.with_fields([&](const auto&... theirs) { return (... && (mine == theirs)); });
  });
}

} // namespace troupe
