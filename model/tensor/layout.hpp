#pragma once

#include "base/fields.hpp"
#include "base/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Rows by columns by ...; `any_size` (-1) matches every size.
using Shape = std::vector<Index>;

/// "[784, 512]", and "[any, 10]" if a size is -1.
std::string to_string(const Shape& shape);

/// What a training step may do to a parameter.
enum class ParameterRole : std::uint8_t {
  trained,   ///< the optimizer moves it along its gradient
  frozen,    ///< it never changes
  statistic, ///< measured, not learned: p <- p + change; the change lies where the gradient of a
             ///< trained parameter would
  carried,   ///< state carried over to the next batch; updated as a statistic is
};

std::string to_string(ParameterRole role); ///< "trained", "frozen", "statistic", "carried"
/// True if the layer, not the optimizer, determines the change.
constexpr bool is_measured(ParameterRole role) {
  return role == ParameterRole::statistic || role == ParameterRole::carried;
}

/// One named array inside the block of parameters.
struct Parameter {
  std::string name;                            ///< unique in the layout, e.g. "linear0.weight"
  Shape shape;                                 ///< every entry > 0
  Index offset = 0;                            ///< of its first element in the block, in elements
  ParameterRole role = ParameterRole::trained; ///< what a step may do to it
  TROUPE_FIELDS(name, shape, offset, role);

  Index size() const; ///< number of elements, the product of `shape`
};

/// The names, shapes and offsets of a model's parameters in its one contiguous block, in the order
/// in which they were added, without gaps. Row-major.
class Layout {
public:
  /// Appends a parameter.
  /// @returns its offset.
  /// @throws std::invalid_argument for an empty or duplicate name, or a size that is not positive
  Index add(std::string name, Shape shape, ParameterRole role = ParameterRole::trained);

  /// Freezes each parameter whose name matches `pattern`: "linear0.weight", "conv2d*", "*.bias"
  /// (`*` any text, `?` any one character, `[01]` one of these). Carried parameters are never
  /// frozen: they hold the position in the data.
  /// @throws std::invalid_argument, listing the known names, if none matches
  void freeze(const std::string& pattern);

  Index size() const { return size_; } ///< elements in the block
  /// In the order of their offsets.
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// @returns the parameter called `name`, or nullptr.
  const Parameter* find(std::string_view name) const;

  /// @returns the first difference between this layout and `other` as a sentence, "" if they
  ///          agree. Roles may differ: a continued run may freeze parameters that it trained
  ///          before.
  std::string difference(const Layout& other) const;

  /// @returns why this layout is invalid (gap, overlap, duplicate name; it may come from another
  ///          node), "" if it is valid
  std::string defect() const;

  TROUPE_FIELDS(parameters_, size_);

private:
  std::vector<Parameter> parameters_;
  Index size_ = 0;
};

} // namespace troupe
