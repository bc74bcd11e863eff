// Numbers as people write them: $1,234.50, 12 %, 1 234,5 kg, (300), 1.5D+03.
#pragma once

#include "base/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// @returns the number that the whole cell is, if it is one that fits float32.
std::optional<double> parse_number(std::string_view cell);

/// A number in form, but none that float32 holds: 1e400, inf.
bool is_beyond_float(std::string_view cell);

/// How the numbers of a column are written.
struct NumberStyle {
  bool plain = true;       ///< as parse_number reads them, and nothing of the following
  char decimal = '.';      ///< or ','
  std::string before = {}; ///< such as $
  std::string after = {};  ///< such as % or m2
};

bool operator==(const NumberStyle& a, const NumberStyle& b);

/// The number that a cell is in such a style. One that is not plain may have blanks or single
/// quotes around it, any minus sign, groups of three digits (, or . whichever is not the decimal
/// mark, ' or blanks between them), parentheses or a minus behind for negative numbers, Fortran's
/// exponents, and has what stands before and after all numbers of its column.
std::optional<double> styled_number(std::string_view cell, const NumberStyle& style);

/// What the cells of a column say of how its numbers are written.
class NumberForms {
public:
  /// Counts a cell that is not missing.
  void add(std::string_view cell);

  Index cells() const { return cells_; }
  bool all_plain() const { return plain_ == cells_; }

  /// Every cell is a number, and all are written alike, if with some decimal mark.
  bool agree() const;
  /// The cells agree, and some are numbers with one decimal mark only: 1.5, but not 1.500.
  bool need_point() const;
  bool need_comma() const;
  /// The cells agree, and are other numbers with the other decimal mark.
  bool depend_on_decimal() const;
  /// Some cells are grouped or divided by a comma, such as 1,500.
  bool have_comma() const { return have_comma_; }

  /// The style of most of the cells.
  NumberStyle style(char decimal) const;
  /// How many cells are numbers in style(decimal).
  Index fitting(char decimal) const;
  /// How many cells are numbers in some style.
  Index number_like() const { return number_like_; }

private:
  struct Form {
    Index point = 0, comma = 0;           // cells that are numbers with it as decimal mark
    Index point_only = 0, comma_only = 0; // and not with the other
    Index different = 0;                  // cells that are one number with it and another without
    Index accounting = 0;                 // in parentheses, or with the minus behind
  };
  using Affixes = std::pair<std::string, std::string>;
  const std::pair<const Affixes, Form>* usual() const;
  Form& form_of(std::string_view before, std::string_view after);

  Index cells_ = 0, plain_ = 0, number_like_ = 0;
  bool have_comma_ = false;
  std::map<Affixes, Form> forms_;
  Form others_;
};

} // namespace troupe
