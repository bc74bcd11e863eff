#include "model/tensor/scratch.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("scratch gives the same memory again once it was given back", "[scratch]") {
  Scratch scratch;
  const auto first = scratch.take<float>(100);
  const auto* second = scratch.take<float>(50).data();
  CHECK(first.size() == 100);
  CHECK(second != first.data());
  {
    const ScratchScope scope{&scratch};
    scratch.take<double>(10);
    CHECK(scratch.taken() == 3);
  }
  CHECK(scratch.taken() == 2);
  scratch.give_back_from(0);
  const auto before = aligned_traffic().taken;
  CHECK(scratch.take<float>(90).data() == first.data());
  CHECK(scratch.take<float>(50).data() == second);
  CHECK(aligned_traffic().taken == before);
}

TEST_CASE("a copy of scratch has memory of its own", "[scratch]") {
  Scratch scratch;
  const auto* memory = scratch.take<float>(100).data();
  auto copy = scratch;
  CHECK(copy.taken() == 0);
  CHECK(copy.take<float>(100).data() != memory);
}

TEST_CASE("an array of a pass without scratch keeps its numbers", "[scratch]") {
  Scratch scratch;
  PassArray<float> array;
  const auto own = array.take(nullptr, 8);
  own[3] = 7;
  CHECK(array.take(&scratch, 8).data() != own.data());
  CHECK(array.numbers().data() == array.data());
  CHECK(array.take(nullptr, 8)[3] == 7);
  CHECK(scratch.taken() == 1);
}
