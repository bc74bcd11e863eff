#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe {

/// Different texts, numbered in the order in which they are first seen.
class CsvWords {
public:
  using Number = std::int32_t;

  /// The number of a text, a new one for a new text.
  Number add(std::string_view text) {
    auto known = numbers_.find(text);
    if (known == numbers_.end()) {
      known = numbers_.emplace(text, size()).first;
      texts_.push_back(&known->first);
    }
    return known->second;
  }

  bool contains(std::string_view text) const { return numbers_.find(text) != numbers_.end(); }
  const std::string& operator[](Number number) const {
    return *texts_[static_cast<std::size_t>(number)];
  }
  Number size() const { return static_cast<Number>(texts_.size()); }

private:
  struct Hash {
    using is_transparent = void; // NOLINT(readability-identifier-naming): of the standard library
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, Number, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> texts_;
};

} // namespace troupe
