#include "messages/parameters/shard_answers.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

ShardMap halves() {
  Layout layout;
  layout.add("w", {32});
  return {layout, 2};
}

Parameters half(float value, std::uint64_t mark = 0) {
  Parameters answer;
  answer.values = Block{16};
  for (auto& one : answer.values.edit())
    one = value;
  answer.mark = mark;
  return answer;
}

} // namespace

TEST_CASE("answers are combined once all have arrived", "[shard_answers]") {
  ShardAnswers answers(2);
  answers[0] = half(1);
  CHECK_FALSE(is_complete(answers));
  answers[1] = half(2);
  CHECK(is_complete(answers));
  answers[0]->version = 7;
  answers[1]->version = 9;
  answers[0]->staleness = 1;
  answers[1]->staleness = 3;
  answers[0]->not_before = 0.5;
  const auto whole = combine_answers(answers, halves());
  CHECK(whole.version == 7);
  CHECK(whole.staleness == 3);
  CHECK(whole.not_before == 0.5);
  REQUIRE(whole.values.size() == 32);
  CHECK(whole.values.view()[15] == 1);
  CHECK(whole.values.view()[16] == 2);
  CHECK(whole.residual.empty());
}

TEST_CASE("a residual at one shard is zero at the other", "[shard_answers]") {
  ShardAnswers answers{half(0), half(0)};
  answers[1]->residual = half(5).values;
  const auto whole = combine_answers(answers, halves());
  REQUIRE(whole.residual.size() == 32);
  CHECK(whole.residual.view()[0] == 0);
  CHECK(whole.residual.view()[31] == 5);
}

TEST_CASE("answers fit together if all shards have the same pushes", "[shard_answers]") {
  ShardMarks marks{2};
  CHECK(marks.fit_together({half(0, 40), half(0, 40)}));
  CHECK_FALSE(marks.fit_together({half(0, 40), half(0, 41)}));
}

TEST_CASE("a push that will only ever reach one shard is accepted from then on",
          "[shard_answers]") {
  ShardMarks marks{2};
  marks.accept({half(0, 40), half(0, 41)});
  CHECK(marks.fit_together({half(0, 50), half(0, 51)}));
  CHECK_FALSE(marks.fit_together({half(0, 51), half(0, 51)}));
}
