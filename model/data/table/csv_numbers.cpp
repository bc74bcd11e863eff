#include "model/data/table/csv_numbers.hpp"

#include "base/text/number_in.hpp"
#include "model/data/table/csv_number_text.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace troupe {

std::optional<double> parse_number(std::string_view cell) {
  if (cell.starts_with('+') && !cell.starts_with("+-"))
    cell.remove_prefix(1);
  const auto value = number_in<double>(cell);
  return value && std::abs(*value) <= std::numeric_limits<float>::max() ? value : std::nullopt;
}

bool is_beyond_float(std::string_view cell) {
  cell = without_blanks(cell);
  if (cell.starts_with('+') && !cell.starts_with("+-"))
    cell.remove_prefix(1);
  double value = 0;
  const auto* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  return stop == end && !cell.empty()
         && (error == std::errc::result_out_of_range
             || (error == std::errc{} && std::abs(value) > std::numeric_limits<float>::max()));
}

Point point_of(std::string_view number) {
  const auto point = number.find('.');
  if (point == number.npos)
    return Point::none;
  const auto sign = number.find_first_of("0123456789");
  const auto digits = number.find_first_not_of("0123456789", point + 1);
  const auto decimals = (digits == number.npos ? number.size() : digits) - point - 1;
  const bool grouped = decimals == 3 && digits == number.npos && sign < point && point - sign <= 3
                       && number[sign] != '0';
  return grouped ? Point::either : Point::decimal;
}

bool operator==(const NumberStyle& a, const NumberStyle& b) {
  return a.plain == b.plain && a.decimal == b.decimal && a.before == b.before && a.after == b.after;
}

std::optional<double> styled_number(std::string_view cell, const NumberStyle& style) {
  if (style.plain)
    return parse_number(cell);
  const auto written = written_number(cell, style.decimal);
  return written && written->before == style.before && written->after == style.after
           ? std::optional{written->value}
           : std::nullopt;
}

/// For a column with many different forms the first few suffice to see that they do not agree.
NumberForms::Form& NumberForms::form_of(std::string_view before, std::string_view after) {
  constexpr std::size_t most = 64;
  const Affixes affixes{before, after};
  const auto found = forms_.find(affixes);
  if (found != forms_.end())
    return found->second;
  return forms_.size() < most ? forms_[affixes] : others_;
}

void NumberForms::add(std::string_view cell, Index count) {
  cells_ += count;
  plain_ += parse_number(cell) ? count : 0;
  const auto point = written_number(cell, '.'), comma = written_number(cell, ',');
  if (!point && !comma)
    return;
  number_like_ += count;
  have_comma_ = have_comma_ || cell.find(',') != cell.npos;
  if (point) {
    auto& form = form_of(point->before, point->after);
    form.point += count;
    form.point_only += comma ? 0 : count;
    form.accounting += point->accounting ? count : 0;
    form.different += comma && comma->value != point->value ? count : 0;
  }
  if (comma) {
    auto& form = form_of(comma->before, comma->after);
    form.comma += count;
    form.comma_only += point ? 0 : count;
    form.accounting += comma->accounting && !point ? count : 0;
  }
}

NumberForms NumberForms::of_grouped(Index cells) {
  NumberForms forms;
  forms.cells_ = forms.plain_ = forms.number_like_ = cells;
  forms.forms_[{}] = {.point = cells, .comma = cells, .different = 1};
  return forms;
}

const std::pair<const NumberForms::Affixes, NumberForms::Form>* NumberForms::usual() const {
  const std::pair<const Affixes, Form>* best = nullptr;
  const auto fitting = [](const Form& form) { return std::max(form.point, form.comma); };
  for (const auto& form : forms_)
    if (best == nullptr || fitting(form.second) > fitting(best->second))
      best = &form;
  return best;
}

bool NumberForms::agree() const {
  const auto* form = usual();
  return form != nullptr && std::max(form->second.point, form->second.comma) == cells_
         && form->second.accounting < cells_;
}

bool NumberForms::need_point() const { return agree() && usual()->second.point_only > 0; }

bool NumberForms::need_comma() const { return agree() && usual()->second.comma_only > 0; }

bool NumberForms::depend_on_decimal() const {
  return agree() && !need_point() && !need_comma() && usual()->second.different > 0;
}

NumberStyle NumberForms::style(char decimal) const {
  const auto* form = usual();
  // If every number is in parentheses, these do not mean negative.
  if (form == nullptr || (all_plain() && decimal == '.') || form->second.accounting == cells_)
    return {};
  return {
    .plain = false, .decimal = decimal, .before = form->first.first, .after = form->first.second};
}

Index NumberForms::fitting(char decimal) const {
  const auto* form = usual();
  return form == nullptr ? 0 : decimal == ',' ? form->second.comma : form->second.point;
}

} // namespace troupe
