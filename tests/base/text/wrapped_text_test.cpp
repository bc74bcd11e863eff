#include "base/text/wrapped_text.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a text is broken after its separators", "[wrapped]") {
  CHECK(wrapped("one; two; three", ";", 80) == "one; two; three");
  CHECK(wrapped("one; two; three", ";", 9) == "one; two;\nthree");
  CHECK(wrapped("one; two; three", ";", 9, "  ") == "one; two;\n  three");
  CHECK(wrapped("", ";", 9).empty());
}

TEST_CASE("a part longer than a line is broken at its blanks", "[wrapped]") {
  CHECK(wrapped("aaa bbb ccc; d", ";", 8) == "aaa bbb\nccc; d");
  CHECK(wrapped("a; bbb ccc ddd", ";", 7, " ") == "a;\n bbb\n ccc\n ddd");
}

TEST_CASE("a word that is longer than a line stays whole", "[wrapped]") {
  CHECK(wrapped("abcdefgh; ij", ";", 4) == "abcdefgh;\nij");
}

TEST_CASE("columns are characters, and escape sequences for colours take none", "[wrapped]") {
  CHECK(columns_of("grün") == 4);
  CHECK(columns_of("\x1b[32mgreen\x1b[m") == 5);
  CHECK(columns_of("") == 0);
}
