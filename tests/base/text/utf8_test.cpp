#include "base/text/utf8.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace troupe;

TEST_CASE("a character of UTF-8 has one to four bytes", "[text]") {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  CHECK(utf8_length(text, 0) == 1);
  CHECK(utf8_length(text, 1) == 2);
  CHECK(utf8_length(text, 3) == 3);
  CHECK(utf8_length(text, 6) == 4);
  CHECK(find_invalid_utf8(text) == std::string::npos);
}

TEST_CASE("invalid UTF-8 has no length", "[text]") {
  for (const auto* wrong : {
         "\xA9", "\xFF",                                 // begins no character
         "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3(",    // cut off
         "\xC0\x80", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", // overlong
         "\xED\xA0\x80",                                 // half of a surrogate pair
         "\xF4\x90\x80\x80",                             // beyond Unicode
       })
    CHECK(utf8_length(wrong, 0) == 0);
  CHECK(find_invalid_utf8("ab\xE9t") == 2);
}
