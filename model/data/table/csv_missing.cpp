#include "model/data/table/csv_missing.hpp"

#include "model/data/table/csv_numbers.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>

namespace troupe {

const std::vector<std::string>& MissingWords::usual() {
  static const std::vector<std::string> words{"NA",  "N/A", "n/a",  "#N/A", "<NA>",
                                              "NaN", "nan", "NULL", "null", "?"};
  return words;
}

MissingWords::MissingWords(const std::vector<std::string>& words) {
  for (const auto& word : words)
    if (word == "+")
      words_.insert(words_.end(), usual().begin(), usual().end());
    else
      words_.emplace_back(without_blanks(word));
  for (const auto& word : words_) {
    longest_ = std::max(longest_, word.size());
    if (!word.empty())
      begins_word_[static_cast<unsigned char>(word[0])] = true;
  }
}

bool MissingWords::contains(std::string_view cell) const {
  cell = without_blanks(cell);
  return cell.empty()
         || (begins_word_[static_cast<unsigned char>(cell[0])] && cell.size() <= longest_
             && std::find(words_.begin(), words_.end(), cell) != words_.end());
}

bool MissingWords::contain_numbers() const {
  return std::any_of(words_.begin(), words_.end(),
                     [](const std::string& word) { return parse_number(word).has_value(); });
}

} // namespace troupe
