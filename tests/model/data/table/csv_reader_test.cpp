#include "base/failure.hpp"
#include "model/data/table/csv_reader.hpp"
#include "model/data/table/csv_table.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using Strings = std::vector<std::string>;

std::vector<Strings> records_of(std::string text, char separator = ',') {
  std::vector<Strings> all;
  CsvReader reader(text, "x.csv", separator);
  for (CsvRecord record; reader.next(record);)
    all.emplace_back(record.cells.begin(), record.cells.end());
  return all;
}

bool header_found(const std::string& text) {
  const test::DataFolder folder;
  const auto path = folder.write("x.csv", text);
  const auto rows = [&](const char* header) { return CsvTable(path, {.header = header}).rows(); };
  return rows("auto") < rows("no");
}

} // namespace

TEST_CASE("CSV text is parsed as RFC 4180 says", "[csv_reader]") {
  CHECK(records_of("a,b\r\n1,2\r\n") == std::vector<Strings>{{"a", "b"}, {"1", "2"}});
  CHECK(records_of("a,\n,b") == std::vector<Strings>{{"a", ""}, {"", "b"}});
  CHECK(records_of("\"a,b\",c\n") == std::vector<Strings>{{"a,b", "c"}});
  CHECK(records_of("\"say \"\"no\"\"\",\"\"\"\"\n") == std::vector<Strings>{{"say \"no\"", "\""}});
  CHECK(records_of("\"two\nlines\",x\ny,\"\"")
        == std::vector<Strings>{{"two\nlines", "x"}, {"y", ""}});
}

TEST_CASE("CSV from other programs is read too", "[csv_reader]") {
  CHECK(records_of("\xEF\xBB\xBF"
                   "a;b\n\n1;2\n\n",
                   ';')
        == std::vector<Strings>{{"a", "b"}, {"1", "2"}});
  CHECK(records_of(" a , b c ,\" d \" \rx,y,z")
        == std::vector<Strings>{{"a", "b c", " d "}, {"x", "y", "z"}});
  CHECK(records_of("a\t\tb", '\t') == std::vector<Strings>{{"a", "", "b"}});
  CHECK(records_of("").empty());
}

TEST_CASE("rows are read cell by cell, and plain decimals at once", "[csv_reader]") {
  const std::string text = "\n 1.5 ,\"a \"\"b\"\"\", -2,1e5\n3";
  auto reader = CsvReader::of_rows(text, "x.csv", ',', 0, 7);
  PlainDecimal number;
  std::string_view cell;
  REQUIRE(reader.begin_row());
  CHECK(reader.line() == 8);
  CHECK_FALSE(reader.decimal(number, cell)); // a blank follows
  CHECK(reader.cell() == "1.5");
  REQUIRE(reader.end_cell());
  CHECK_FALSE(reader.decimal(number, cell));
  CHECK(reader.cell() == "a \"b\"");
  REQUIRE(reader.end_cell());
  REQUIRE(reader.decimal(number, cell));
  CHECK(number.digits == -2);
  CHECK(cell == "-2");
  REQUIRE(reader.end_cell());
  CHECK_FALSE(reader.decimal(number, cell));
  CHECK(reader.cell() == "1e5");
  CHECK_FALSE(reader.end_cell());
  REQUIRE(reader.begin_row());
  CHECK(reader.at() == text.size() - 1);
  CHECK(reader.decimal(number, cell));
  CHECK_FALSE(reader.end_cell());
  CHECK_FALSE(reader.begin_row());
  CHECK(text.find("\"\"b") != text.npos); // the text stays as it is
}

TEST_CASE("broken quotes and bytes are refused with line and column", "[csv_reader]") {
  const auto sentence = [](const std::string& text) {
    return test::sentence_of<DataError>([&] { records_of(text); });
  };
  CHECK_THAT(sentence("a,b\n1,\"2\n3,4\n"), Contains("x.csv, line 2, column 2: found no end"));
  CHECK_THAT(sentence("\"a\nb\"c,d"), Contains("x.csv, line 2, column 1: found text after"));
  CHECK_THAT(sentence("a,b\"c"), Contains("line 1, column 2: found a quote inside"));
  CHECK_THAT(sentence("a\nb\n\xE9t\xE9\n"), Contains("line 3: byte 4 is not UTF-8"));
  CHECK_THAT(sentence(std::string("a\0b", 3)), Contains("line 1: found a zero byte"));
}

TEST_CASE("surrogates and code points beyond the last are invalid UTF-8", "[csv_reader]") {
  CHECK(records_of("\xED\x9F\xBF,\xF4\x8F\xBF\xBF").front().size() == 2);
  for (const auto* text : {"\xED\xA0\x80", "\xF4\x90\x80\x80"})
    CHECK_THAT(test::sentence_of<DataError>([&] { records_of(text); }),
               Contains("byte 0 is not UTF-8"));
}

TEST_CASE("numbers and missing cells are recognised", "[csv_reader]") {
  CHECK(parse_number("1.5") == 1.5);
  CHECK(parse_number("+2e3") == 2000);
  for (const auto* text : {"", "x", "1x", "+-1", "1,5", "inf", "nan", "1e39", "0x10", "--1"})
    CHECK_FALSE(parse_number(text));
  for (const auto* text : {"", "NA", "NaN", "nan", "?", "null", "N/A"})
    CHECK(MissingWords().contains(text));
  for (const auto* text : {"0", ".", "nano", "none"})
    CHECK_FALSE(MissingWords().contains(text));
}

TEST_CASE("a header is a first row of words above numbers", "[csv_reader]") {
  CHECK(header_found("a,b\n1,x\n2,y\n"));
  CHECK(header_found("a,b\n1,x\nNA,y\n"));
  CHECK_FALSE(header_found("1,x\n2,y\n"));
  CHECK_FALSE(header_found("NA,x\n2,y\n"));
  CHECK_FALSE(header_found("red,yes\nblue,no\nred,no\n"));
  CHECK_FALSE(header_found("1,2\n"));
}
