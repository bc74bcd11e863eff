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

TEST_CASE("a line of parts is folded between them, below the second part", "[wrapped]") {
  const std::string row = "epoch 1:  loss 0.5  accuracy 0.9  rate 1";
  CHECK(folded_between_parts(row, 40) == row);
  CHECK(folded_between_parts(row, 32) == "epoch 1:  loss 0.5  accuracy 0.9\n          rate 1");
  CHECK(folded_between_parts(row, 22)
        == "epoch 1:  loss 0.5\n          accuracy 0.9\n          rate 1");
}

TEST_CASE("a head is a part of its own, also with one blank behind its colon", "[wrapped]") {
  CHECK(folded_between_parts("epoch 10: loss 0.5  accuracy 0.9", 24)
        == "epoch 10: loss 0.5\n          accuracy 0.9");
}

TEST_CASE("parts that do not fit below the second part are indented by four blanks", "[wrapped]") {
  CHECK(folded_between_parts("epoch 1:  loss 0.5  accuracy 0.9", 18)
        == "epoch 1:  loss 0.5\n    accuracy 0.9");
}

TEST_CASE("a sentence is not folded, so that its commands can be copied", "[wrapped]") {
  CHECK(folded_between_parts("run `troupe train problem.name=idx`", 10)
        == "run `troupe train problem.name=idx`");
}
