#include "messages/loop/saved_fields.hpp"

namespace troupe {

std::optional<Value> value_of(const SavedField& field) {
  return std::visit(
    [](const auto& x) -> std::optional<Value> {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Block>)
        return std::nullopt;
      else
        return Value{x};
    },
    field);
}

std::string to_string(const SavedField& field) {
  const auto value = value_of(field);
  return value ? to_string(*value) : to_string(std::get<Block>(field));
}

} // namespace troupe
