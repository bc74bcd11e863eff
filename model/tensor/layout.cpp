#include "model/tensor/layout.hpp"

#include "base/text/text.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace troupe {

std::string to_string(const Shape& shape) {
  const auto text = [](Index size) { return size == any_size ? "any" : std::to_string(size); };
  return "[" + joined(shape, ", ", text) + "]";
}

std::string to_string(ParameterRole role) {
  switch (role) {
  case ParameterRole::trained: return "trained";
  case ParameterRole::frozen: return "frozen";
  case ParameterRole::statistic: return "statistic";
  case ParameterRole::carried: return "carried";
  }
  return "unknown role";
}

Index Parameter::size() const {
  Index n = 1;
  for (auto d : shape)
    n *= d;
  return n;
}

Index Layout::add(std::string name, Shape shape, ParameterRole role) {
  if (name.empty())
    throw std::invalid_argument("a parameter needs a name");
  if (find(name) != nullptr)
    throw std::invalid_argument("two parameters are called '" + name + "'; give each its own name");
  if (shape.empty() || std::any_of(shape.begin(), shape.end(), [](Index n) { return n <= 0; }))
    throw std::invalid_argument("parameter '" + name + "' has the shape " + to_string(shape)
                                + "; every size must be positive");
  auto left = std::numeric_limits<Index>::max() - size_;
  for (auto n : shape)
    left /= n;
  if (left == 0)
    throw std::invalid_argument("parameter '" + name + "' has the shape " + to_string(shape)
                                + ", which is larger than any memory");
  const auto offset = size_;
  parameters_.push_back({std::move(name), std::move(shape), offset, role});
  size_ += parameters_.back().size();
  return offset;
}

void Layout::freeze(const std::string& pattern) {
  bool any = false;
  std::string known;
  for (auto& parameter : parameters_) {
    if (parameter.role == ParameterRole::carried)
      continue;
    known += (known.empty() ? "" : ", ") + parameter.name;
    if (fnmatch(pattern.c_str(), parameter.name.c_str(), 0) != 0)
      continue;
    parameter.role = ParameterRole::frozen;
    any = true;
  }
  if (!any)
    throw std::invalid_argument("no parameter is called '" + pattern + "', so none can be frozen; "
                                + "known are " + (known.empty() ? "none" : known));
}

const Parameter* Layout::find(std::string_view name) const {
  auto found = std::find_if(parameters_.begin(), parameters_.end(),
                            [&](const auto& p) { return p.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

std::string Layout::difference(const Layout& other) const {
  for (const auto& mine : parameters_) {
    const auto* theirs = other.find(mine.name);
    if (theirs == nullptr)
      return "parameter '" + mine.name + "' is missing on the other side";
    if (theirs->shape != mine.shape)
      return "parameter '" + mine.name + "' has the shape " + to_string(mine.shape) + " here and "
             + to_string(theirs->shape) + " on the other side";
  }
  for (const auto& theirs : other.parameters_)
    if (find(theirs.name) == nullptr)
      return "parameter '" + theirs.name + "' of the other side is unknown here";
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].name != other.parameters_[i].name)
      return "parameter " + std::to_string(i) + " is '" + parameters_[i].name + "' here and '"
             + other.parameters_[i].name + "' on the other side";
  return "";
}

std::string Layout::defect() const {
  std::set<std::string_view> names;
  Index offset = 0;
  for (const auto& p : parameters_) {
    if (p.name.empty() || !names.insert(p.name).second)
      return "parameter name '" + p.name + "' is empty or used twice";
    if (p.shape.empty())
      return "parameter '" + p.name + "' has no shape";
    Index left = std::numeric_limits<Index>::max() - offset;
    for (auto n : p.shape) {
      if (n <= 0)
        return "parameter '" + p.name + "' has the shape " + to_string(p.shape);
      left /= n;
    }
    if (left == 0)
      return "parameter '" + p.name + "' is larger than any memory";
    if (p.role > ParameterRole::carried)
      return "parameter '" + p.name + "' has an unknown role";
    if (p.offset != offset)
      return "parameter '" + p.name + "' begins at " + std::to_string(p.offset) + " instead of "
             + std::to_string(offset);
    offset += p.size();
  }
  return size_ == offset ? ""
                         : "the layout's size is " + std::to_string(size_) + " instead of "
                             + std::to_string(offset);
}

} // namespace troupe
