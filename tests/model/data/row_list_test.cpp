#include "base/failure.hpp"
#include "model/data/row_list.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace troupe;
using Catch::Contains;

TEST_CASE("rows are named by numbers, by ranges and by files, in order", "[M13]") {
  const test::DataFolder folder;
  const auto file = folder.write("rows.txt", "7, 2\n4..6\n");
  CHECK(parse_rows({"3", "17", "5"}, 20) == std::vector<Index>{3, 17, 5});
  CHECK(parse_rows({" 3, 17 ,5 "}, 20) == std::vector<Index>{3, 17, 5});
  CHECK(parse_rows({"2..5", "0"}, 20) == std::vector<Index>{2, 3, 4, 0});
  CHECK(parse_rows({file, "1"}, 20) == std::vector<Index>{7, 2, 4, 5, 1});
}

TEST_CASE("a range includes its first number and excludes its second", "[M13]") {
  const auto rows = parse_rows({"0..55000"}, 60000);
  CHECK(rows.size() == 55000);
  CHECK(rows.back() == 54999);
  CHECK(parse_rows({"0", "55000"}, 60000).size() == 2); // two numbers are two rows
}

TEST_CASE("invalid rows are refused with a sentence", "[M13]") {
  const auto refused = [](const std::string& text, const std::string& sentence) {
    CHECK_THROWS_WITH(parse_rows({text}, 10), Contains(sentence));
    CHECK_THROWS_AS(parse_rows({text}, 10), std::invalid_argument);
  };
  refused("10", "beyond the section's 10 rows");
  refused("5..11", "'5..11' is beyond the section's 10 rows");
  refused("5..5", "'5..5' is empty");
  refused("-1", "neither a row's number, nor a range like 0..100, nor a file");
  refused("0-9", "neither a row's number");
  refused("3, 3", "row 3 occurs twice");
  refused("0..4, 2..6", "row 2 occurs twice");
}

TEST_CASE("a file of rows with an error is named", "[M13]") {
  const test::DataFolder folder;
  const auto words = folder.write("words.txt", "1, 2, three\n");
  const auto large = folder.write("large.txt", "1, 2, 300\n");
  CHECK_THROWS_WITH(parse_rows({words}, 10), Contains(words) && Contains("'three'"));
  CHECK_THROWS_WITH(parse_rows({large}, 10), Contains(large) && Contains("'300' is beyond"));
  CHECK_THROWS_AS(parse_rows({large}, 10), DataError);
}

TEST_CASE("for a file that is not text the message is complete and has no control characters",
          "[M13][R15]") {
  using namespace std::string_literals;
  const test::DataFolder folder;
  const auto bytes = folder.write("rows.bin", "1, \0\x1b[31m\x7f, 2"s);
  CHECK_THROWS_WITH(parse_rows({bytes}, 10),
                    Contains("'??[31m?' is neither") && Contains("as `troupe split` writes it"));
}

TEST_CASE("a list of rows is written in the format that it is read in", "[M52]") {
  const test::DataFolder folder;
  const std::vector<Index> rows{3, 17, 5};
  CHECK(list_text(rows) == "3, 17, 5\n");
  CHECK(parse_rows({folder.write("rows.txt", list_text(rows))}, 20) == rows);
}

TEST_CASE(
  "a file of rows may have a byte-order mark and Windows line ends, and a wrong line is named",
  "[M13]") {
  const test::DataFolder folder;
  CHECK(parse_rows({folder.write("rows.txt", "\xEF\xBB\xBF"
                                             "7, 2 \r\n4..6\r\n")},
                   20)
        == std::vector<Index>{7, 2, 4, 5});
  CHECK_THROWS_WITH(parse_rows({folder.write("wrong.txt", "7\n2\nx\n")}, 20),
                    Contains("wrong.txt, line 3: 'x' is neither"));
  CHECK_THROWS_WITH(parse_rows({folder.write("beyond.txt", "7\n20\n")}, 20),
                    Contains("beyond.txt, line 2: '20' is beyond"));
}
