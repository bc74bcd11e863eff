#include "messages/parameters/selection.hpp"

#include <numeric>
#include <set>

namespace troupe {

namespace {

std::string range_defect(const Parameter& parameter, std::size_t axis, Index index) {
  if (index >= 0 && index < parameter.shape[axis])
    return "";
  return "index " + std::to_string(index) + " on axis " + std::to_string(axis) + " of '"
         + parameter.name + "' is outside 0 .. " + std::to_string(parameter.shape[axis] - 1);
}

std::string select_elements(const Parameter& parameter, const Selection& selection,
                            std::vector<Index>& offsets, Shape& shape) {
  std::set<Index> seen;
  for (const auto& tuple : selection.elements) {
    if (tuple.size() != parameter.shape.size())
      return "an element of '" + parameter.name + "' is named by "
             + std::to_string(parameter.shape.size()) + " indices, not "
             + std::to_string(tuple.size());
    Index place = 0;
    for (std::size_t axis = 0; axis < tuple.size(); ++axis) {
      if (auto defect = range_defect(parameter, axis, tuple[axis]); !defect.empty())
        return defect;
      place = place * parameter.shape[axis] + tuple[axis];
    }
    if (!seen.insert(place).second)
      return "an element of '" + parameter.name + "' is named twice in one selection";
    offsets.push_back(parameter.offset + place);
  }
  shape = {static_cast<Index>(offsets.size())};
  return "";
}

std::string select_axes(const Parameter& parameter, const Selection& selection,
                        std::vector<Index>& offsets, Shape& shape) {
  if (selection.axes.size() != parameter.shape.size())
    return "'" + parameter.name + "' has " + std::to_string(parameter.shape.size())
           + " axes; give one list of indices for each, not "
           + std::to_string(selection.axes.size());
  offsets = {parameter.offset};
  Index stride = parameter.size();
  for (std::size_t axis = 0; axis < selection.axes.size(); ++axis) {
    stride /= parameter.shape[axis];
    const auto& indices = selection.axes[axis];
    if (indices.empty())
      return "no index on axis " + std::to_string(axis) + " of '" + parameter.name + "'";
    if (std::set<Index>(indices.begin(), indices.end()).size() != indices.size())
      return "an index on axis " + std::to_string(axis) + " of '" + parameter.name
             + "' is given twice";
    for (auto index : indices)
      if (auto defect = range_defect(parameter, axis, index); !defect.empty())
        return defect;
    std::vector<Index> longer; // no longer than the parameter
    longer.reserve(offsets.size() * indices.size());
    for (auto offset : offsets)
      for (auto index : indices)
        longer.push_back(offset + index * stride);
    offsets = std::move(longer);
    shape.push_back(static_cast<Index>(indices.size()));
  }
  return "";
}

} // namespace

std::string select(const Parameter& parameter, const Selection& selection,
                   std::vector<Index>& offsets, Shape& shape) {
  offsets.clear();
  shape.clear();
  if (!selection.elements.empty() && !selection.axes.empty())
    return "a selection of '" + parameter.name + "' names axes and elements; give one of the two";
  if (!selection.elements.empty())
    return select_elements(parameter, selection, offsets, shape);
  if (!selection.axes.empty())
    return select_axes(parameter, selection, offsets, shape);
  offsets.resize(static_cast<std::size_t>(parameter.size()));
  std::iota(offsets.begin(), offsets.end(), parameter.offset);
  shape = parameter.shape;
  return "";
}

} // namespace troupe
