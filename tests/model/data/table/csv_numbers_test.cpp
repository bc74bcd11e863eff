#include "model/data/table/csv_dates.hpp"
#include "model/data/table/csv_missing.hpp"
#include "model/data/table/csv_number_text.hpp"
#include "model/data/table/csv_numbers.hpp"
#include "model/data/table/csv_text.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

std::optional<double> value_in(std::string_view cell, char decimal = '.') {
  const auto number = written_number(cell, decimal);
  return number ? std::optional{number->value} : std::nullopt;
}

NumberForms forms_of(const std::vector<std::string>& cells) {
  NumberForms forms;
  for (const auto& cell : cells)
    forms.add(cell);
  return forms;
}

double days_in(std::string_view cell, DateOrder order = DateOrder::day_month) {
  const auto date = date_in(cell, order);
  REQUIRE(date);
  return date_part(*date, "number");
}

} // namespace

TEST_CASE("plain decimals are read up to the first byte after them", "[csv_numbers]") {
  const auto read = [](const std::string& text) -> std::optional<PlainDecimal> {
    PlainDecimal number;
    const auto* const end = read_plain_decimal(text.c_str(), number);
    return end == text.c_str() + text.find_first_of(",e") ? std::optional{number} : std::nullopt;
  };
  const auto number = read("-12.50,7");
  REQUIRE(number);
  CHECK(number->digits == -1250);
  CHECK(number->decimals == 2);
  CHECK(number->point);
  CHECK(number->exact);
  CHECK(read("123456789012345,")->exact);
  CHECK_FALSE(read("1234567890.123456,")->exact); // 16 digits
  CHECK_FALSE(read("-0,")->exact);
  CHECK_FALSE(read("7,")->point);
  CHECK(read("5.,")->digits == 5);
  CHECK(read("1e5")->digits == 1);
  for (const auto* text : {",", "-,", ".,", "+1,", "word,", " 1,"})
    CHECK_FALSE(read(text));
}

TEST_CASE("numbers are read as people write them", "[csv_numbers]") {
  CHECK(value_in("1,234.5") == 1234.5);
  CHECK(value_in("1.234,5", ',') == 1234.5);
  CHECK(value_in("12,34,567") == 1234567); // India
  CHECK(value_in("1'234'567.25") == 1234567.25);
  CHECK(value_in("1 234") == 1234);
  CHECK(value_in("1\xC2\xA0"
                 "234,5",
                 ',')
        == 1234.5);
  CHECK(value_in("\xE2\x88\x92"
                 "5")
        == -5);
  CHECK(value_in("(1,234)") == -1234);
  CHECK(value_in("12-") == -12);
  CHECK(value_in("1.5D+03") == 1500);
  CHECK(value_in("-2.5d-01") == -0.25);
  CHECK(value_in("$60,706") == 60706);
  CHECK(value_in("-$5") == -5);
  CHECK(value_in("$-5") == -5);
  CHECK(value_in("Rs.500") == 500);
  CHECK(value_in("5 \xE2\x82\xAC") == 5);
  CHECK(value_in("195.03 m2") == 195.03);
  CHECK(value_in("12 km/h") == 12);
  CHECK(value_in("3.5%") == 3.5);
  CHECK(value_in(" 7 ") == 7);
  CHECK(value_in("'1.5'") == 1.5);
}

TEST_CASE("a cell that only begins with a number is not a number", "[csv_numbers]") {
  for (const auto* cell : {"1,5",
                           "1,2345",
                           "1,234,5",
                           "12 34",
                           "K00001",
                           "10-20",
                           "10\xE2\x80\x93"
                           "20",
                           "10:30",
                           "1/2",
                           "<5",
                           "3 for 100",
                           "5 ft 10 in",
                           "1.2.3",
                           "",
                           "kg",
                           "0,346",
                           "--5",
                           "(-5)",
                           "1e400",
                           "12.5.2020"}) {
    INFO(cell);
    CHECK_FALSE(value_in(cell));
  }
  CHECK_FALSE(value_in("1.5", ','));
  CHECK(written_number("2d6", '.')->after == "d6"); // dice, not an exponent
}

TEST_CASE("a column is numeric where all its cells are written in one style", "[csv_numbers]") {
  CHECK(forms_of({"$5", "$1,200.50"}).agree());
  CHECK(forms_of({"(5)", "7"}).agree());
  CHECK_FALSE(forms_of({"(5)", "(7)"}).agree()); // not necessarily negative
  CHECK_FALSE(forms_of({"$5", "5"}).agree());
  CHECK_FALSE(forms_of({"1,5", "1.5"}).agree());
  CHECK_FALSE(forms_of({"5 kg", "7 lb"}).agree());
  CHECK(forms_of({"5 kg", "7 lb"}).number_like() == 2);
}

TEST_CASE("a comma before three digits is read by the other cells of the column", "[csv_numbers]") {
  CHECK(forms_of({"1,006", "387"}).depend_on_decimal());
  CHECK(forms_of({"1,006", "0,387"}).need_comma());
  CHECK(forms_of({"1,006", "1,5"}).need_comma());
  CHECK(forms_of({"1,006", "1,234,567"}).need_point());
  CHECK(forms_of({"1,006", "2.5"}).need_point());
  CHECK(forms_of({"1.006", "1.234.567"}).need_comma());
}

TEST_CASE("a number that float32 cannot hold is told from words", "[csv_numbers]") {
  for (const auto* cell : {"1e400", "inf", "-Infinity", "1e39", "+1e400"})
    CHECK(is_beyond_float(cell));
  for (const auto* cell : {"1e38", "nan", "x", "", "1e400x"})
    CHECK_FALSE(is_beyond_float(cell));
}

TEST_CASE("words for missing values are case-sensitive, and may be replaced or extended",
          "[csv_numbers]") {
  const MissingWords usual;
  for (const auto& word : MissingWords::usual())
    CHECK(usual.contains(word));
  for (const auto* word : {"", " ", " NA ", "\xC2\xA0"})
    CHECK(usual.contains(word));
  for (const auto* word : {"Na", "na", "Nan", "Null", "N.A.", "-999", "+"})
    CHECK_FALSE(usual.contains(word));
  const MissingWords other({"-999", "none"}), more({"+", "-999"}),
    nothing(std::vector<std::string>{});
  CHECK((other.contains("-999") && other.contains("") && !other.contains("NA")));
  CHECK((more.contains("-999") && more.contains("NA")));
  CHECK((nothing.contains("") && !nothing.contains("NA")));
}

TEST_CASE("dates and times are read in their usual forms", "[csv_dates]") {
  for (const auto* cell : {"2021-03-31", "2021/03/31", "31.03.2021", "31/03/2021", "31-03-2021",
                           "31 Mar 2021", "31-Mar-2021", "March 31, 2021", "Mar 31 2021"})
    CHECK(days_in(cell) == 18717);
  CHECK(days_in("03/31/2021", DateOrder::month_day) == 18717);
  CHECK(days_in("31.03.21") == 18717);
  CHECK(days_in("01.01.70") == 0);
  CHECK(days_in("2021-03-31 12:00:00") == 18717.5);
  CHECK(days_in("2021-03-31T12:00Z") == 18717.5);
  CHECK(days_in("2021-03-31T01:00:00+02:00") == Approx(18716 + 23.0 / 24));
  CHECK(days_in("31.03.2021 06:00 PM") == 18717.75);
  CHECK(days_in("10:30") == 10.5); // hours
  CHECK(days_in("10:30:36.0") == Approx(10.51));
  for (const auto* cell : {"2021", "2021-13-01", "2021-02-30", "1.2.3", "20210331", "10:75",
                           "25:00", "May", "2021-03-31x", "192.168.1.1", "1/2"})
    CHECK_FALSE(date_in(cell, DateOrder::day_month));
}

TEST_CASE("a date has parts", "[csv_dates]") {
  const auto date = *date_in("2021-03-31 10:30:05.5", DateOrder::day_month);
  CHECK(date_part(date, "year") == 2021);
  CHECK(date_part(date, "month") == 3);
  CHECK(date_part(date, "day") == 31);
  CHECK(date_part(date, "weekday") == 2); // a Wednesday
  CHECK(date_part(date, "hour") == 10);
  CHECK(date_part(date, "minute") == 30);
  CHECK(date_part(date, "second") == 5.5);
}

TEST_CASE("days are told from months by the dates of the whole column", "[csv_dates]") {
  DateForms forms;
  forms.add("01/02/2021");
  CHECK(forms.depend_on_order());
  forms.add("01/13/2021");
  CHECK_FALSE(forms.depend_on_order());
  CHECK(forms.order() == DateOrder::month_day);
  forms.add("14/01/2021");
  CHECK_FALSE(forms.agree());
}

TEST_CASE("cells are shown on one line, and cut where they are long", "[csv_numbers]") {
  CHECK(shown_cell("a\nb\tc") == "\"a\\nb\\tc\"");
  CHECK(shown_cell(std::string(100, 'x')) == "\"" + std::string(60, 'x') + "...\"");
  CHECK(without_blanks(" \xC2\xA0x\xE2\x80\xAF ") == "x");
}
