// Numbers as people write them: $1,234.50, 12 %, 1 234,5 kg, (300), 1.5D+03.
#pragma once

#include "base/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// @returns the number in the cell, if the whole cell is one and float32 can hold it
std::optional<double> parse_number(std::string_view cell);

/// True for a number in form that float32 cannot hold: 1e400, inf.
bool is_beyond_float(std::string_view cell);

/// What the point in a plain number can mean: 1.5 has a decimal point; the point in 1.500 may group
/// thousands.
enum class Point { none, decimal, either };
Point point_of(std::string_view number);

/// How the numbers of a column are written.
struct NumberStyle {
  bool plain = true;       ///< as parse_number reads them; the other fields are unused
  char decimal = '.';      ///< or ','
  std::string before = {}; ///< such as $
  std::string after = {};  ///< such as % or m2
};

bool operator==(const NumberStyle& a, const NumberStyle& b);

/// Parses a cell in the given style. A number that is not plain may have blanks or single quotes
/// around it, any minus sign, groups of three digits (separated by , or . whichever is not the
/// decimal mark, ' or blanks), parentheses or a trailing minus for negative numbers, and Fortran's
/// exponents. It must have the text before and after it that all numbers of its column have.
std::optional<double> styled_number(std::string_view cell, const NumberStyle& style);

/// Collects from the cells of a column how its numbers are written.
class NumberForms {
public:
  /// Counts a cell that is not missing.
  /// @param count of cells with this text
  void add(std::string_view cell, Index count = 1);

  /// The forms of numbers that are all plain, of which some have a point that either groups
  /// thousands or is decimal, and none has another point.
  static NumberForms of_grouped(Index cells);

  Index cells() const { return cells_; }
  bool all_plain() const { return plain_ == cells_; }

  /// Every cell is a number, and all are in one style, with at least one decimal mark.
  bool agree() const;
  /// The cells agree, and some are numbers with this decimal mark only: 1.5, but not 1.500.
  bool need_point() const;
  bool need_comma() const;
  /// The cells agree, but mean other numbers with the other decimal mark.
  bool depend_on_decimal() const;
  /// Some cells contain a comma that groups or is a decimal mark, such as 1,500.
  bool have_comma() const { return have_comma_; }

  /// The most frequent style.
  NumberStyle style(char decimal) const;
  /// How many cells are numbers in style(decimal).
  Index fitting(char decimal) const;
  /// How many cells are numbers in any style.
  Index number_like() const { return number_like_; }

private:
  struct Form {
    Index point = 0, comma = 0;           // cells that are numbers with this decimal mark
    Index point_only = 0, comma_only = 0; // and not with the other one
    Index different = 0;                  // cells that are different numbers with each mark
    Index accounting = 0;                 // in parentheses, or with a trailing minus
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
