#include "messages/loop/extension_order.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

bool is_written_as(const std::string& record, const std::string& pattern) {
  if (!pattern.empty() && pattern.back() == '*')
    return record.starts_with(pattern.substr(0, pattern.size() - 1));
  return record == pattern;
}

/// A depth-first search from each extension to those that have to come before it.
class ExtensionSorter {
public:
  explicit ExtensionSorter(const std::vector<OrderedExtension>& extensions)
    : extensions_(extensions),
      marks_(extensions.size(), Mark::fresh) {}

  std::vector<std::size_t> sorted() {
    for (const auto rank : {0, 1, 2, 3})
      for (std::size_t i = 0; i < extensions_.size(); ++i)
        if (rank_of(extensions_[i]) == rank)
          visit(i);
    return result_;
  }

private:
  enum class Mark : std::uint8_t { fresh, open, done };

  static int rank_of(const OrderedExtension& extension) {
    return extension.first ? 0 : extension.last ? 3 : extension.late ? 2 : 1;
  }

  void visit(std::size_t number) {
    if (marks_[number] == Mark::done)
      return;
    if (marks_[number] == Mark::open)
      refuse_cycle(number);
    marks_[number] = Mark::open;
    path_.push_back(number);
    for (std::size_t other = 0; other < extensions_.size(); ++other)
      if (other != number && comes_before(other, number))
        visit(other);
    check_names(extensions_[number]);
    path_.pop_back();
    marks_[number] = Mark::done;
    result_.push_back(number);
  }

  bool comes_before(std::size_t other, std::size_t number) const {
    const auto& first = extensions_[other];
    const auto& second = extensions_[number];
    if (std::find(second.after.begin(), second.after.end(), first.name) != second.after.end())
      return true;
    if (first.last && !second.last)
      return false; // what it writes comes after all that are not last
    const auto written = [&](const std::string& record) {
      return std::any_of(first.writes.begin(), first.writes.end(), [&](const std::string& pattern) {
        return is_written_as(record, pattern);
      });
    };
    return std::any_of(second.needs.begin(), second.needs.end(), written)
           || std::any_of(second.uses.begin(), second.uses.end(), written);
  }

  void check_names(const OrderedExtension& extension) const {
    for (const auto& name : extension.after)
      if (std::none_of(extensions_.begin(), extensions_.end(),
                       [&](const auto& other) { return other.name == name; }))
        throw std::invalid_argument("extension '" + extension.name + "' is to come after '" + name
                                    + "', which does not exist");
  }

  [[noreturn]] void refuse_cycle(std::size_t number) const {
    std::string names;
    for (auto i = std::find(path_.begin(), path_.end(), number); i != path_.end(); ++i)
      names += "'" + extensions_[*i].name + "' after ";
    throw std::invalid_argument("extensions wait for each other: " + names + "'"
                                + extensions_[number].name
                                + "'; remove one of these requirements, or one of the extensions");
  }

  const std::vector<OrderedExtension>& extensions_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> path_, result_;
};

} // namespace

std::vector<std::size_t> extension_order(const std::vector<OrderedExtension>& extensions) {
  return ExtensionSorter{extensions}.sorted();
}

} // namespace troupe
