// What an extension has to remember: named, typed fields.
#pragma once

#include "messages/inspection/inspect.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>

namespace troupe {

/// One remembered value: what a row of the log can hold, or a block of floats.
struct SavedField : std::variant<bool, std::int64_t, double, std::string, Block> {
  using variant::variant;
  SavedField(Value value)
    : variant(std::visit([](auto& x) { return variant{std::move(x)}; }, value)) {}
};

/// Nothing for a block.
std::optional<Value> value_of(const SavedField& field);
/// As text; of a block only its length.
std::string to_string(const SavedField& field);

/// By name: "last.batches". If a name is missing, what is restored keeps its default.
using SavedFields = std::map<std::string, SavedField>;

} // namespace troupe
