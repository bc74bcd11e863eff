// One list of fields per struct serves checkpoints (cereal, here), the wire and
// the log (CAF, in messages/inspect.hpp), and equality:
//
//   struct PullParameters {
//     WorkerId worker = 0;
//     Version known = 0;
//     FIELDS(worker, known);
//   };
#pragma once

#include <cereal/cereal.hpp>

#include <tuple>
#include <type_traits>

/// Lists the fields of the enclosing struct, once, in declaration order.
#define FIELDS(...)                                                                                \
  auto fields() { return std::tie(__VA_ARGS__); }                                                  \
  auto fields() const { return std::tie(__VA_ARGS__); }                                            \
  static constexpr const char* field_names = #__VA_ARGS__

namespace troupe {

template <class T>
concept HasFields = requires {
  T::field_names;
};

template <class T>
concept CerealArchive = std::disjunction_v<std::is_base_of<cereal::detail::OutputArchiveBase, T>,
                                           std::is_base_of<cereal::detail::InputArchiveBase, T>>;

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

/// Fails to compile if `FIELDS` does not list every member of an aggregate.
template <class T, class... Fields>
constexpr void check_fields(const std::tuple<Fields...>&) {
  using Listed = std::index_sequence_for<Fields...>;
  using OneMore = std::make_index_sequence<sizeof...(Fields) + 1>;
  if constexpr (std::is_aggregate_v<T>)
    static_assert(made_of<T>(Listed{}) && !made_of<T>(OneMore{}),
                  "FIELDS misses a member, or names too many");
}

} // namespace detail

/// Checkpoint format. Constrained to cereal's archives, because CAF 0.17
/// prefers a free `serialize` to `inspect` and then drops the wire's errors.
template <CerealArchive Archive, HasFields T>
void serialize(Archive& archive, T& x) {
  detail::check_fields<T>(x.fields());
  std::apply([&archive](auto&... field) { archive(field...); }, x.fields());
}

template <HasFields T>
bool operator==(const T& a, const T& b) {
  return a.fields() == b.fields();
}

} // namespace troupe
