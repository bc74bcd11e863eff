#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The words for a missing value. Case matters: NA is missing, Na is sodium. An empty cell is
/// missing whatever the words are.
class MissingWords {
public:
  /// @param words replace the usual ones; "+" among them stands for the usual ones
  explicit MissingWords(const std::vector<std::string>& words = {"+"});

  bool contains(std::string_view cell) const;
  bool contain_numbers() const; ///< such as -999

  /// NA, N/A, n/a, #N/A, <NA>, NaN, nan, NULL, null, ?
  static const std::vector<std::string>& usual();

private:
  std::vector<std::string> words_;
  std::size_t longest_ = 0;
  std::array<bool, 256> begins_word_ = {}; // by first byte, which rules out most cells
};

} // namespace troupe
