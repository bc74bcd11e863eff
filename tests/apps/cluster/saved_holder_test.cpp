#include "base/failure.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/parameters/parameter_store.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A holder with four floats, to which worker 0 has pushed twice.
SavedHolder some_holder() {
  ParameterStore store;
  Join join;
  join.layout.add("w", {4});
  const auto joined = store.join(join);
  REQUIRE(joined);
  REQUIRE(store.create_if_absent({0, Block::copy_of(std::vector<float>{1, -0.0f, 3, 4})}));
  for (std::uint64_t number = 1; number <= 2; ++number) {
    Push push;
    push.id = {0, joined->incarnation, number};
    push.rule.name = "outer_nesterov";
    push.values = Block::copy_of(std::vector<float>{2, 3, 4, 5});
    REQUIRE(store.exchange(push).answer);
  }
  return store.save();
}

} // namespace

TEST_CASE("a holder is saved and loaded to the bits, including counters", "[L7]") {
  WorkFolder work;
  const auto file = work.path() / "holder.bin";
  const auto saved = some_holder();
  save_holder(file, saved);
  CHECK(load_holder(file) == saved);
  ParameterStore other;
  CHECK_FALSE(other.restore(load_holder(file)));
  CHECK(other.save() == saved);
}

TEST_CASE("a holder's file with any damaged byte is refused", "[L7]") {
  WorkFolder work;
  const auto file = work.path() / "holder.bin", damaged = work.path() / "damaged.bin";
  save_holder(file, some_holder());
  const auto bytes = contents(file);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    auto other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0x10);
    std::ofstream{damaged, std::ios::binary} << other;
    CHECK_THROWS_AS(load_holder(damaged), DataError);
    std::ofstream{damaged, std::ios::binary} << bytes.substr(0, at);
    CHECK_THROWS_AS(load_holder(damaged), DataError);
  }
  CHECK_THROWS_AS(load_holder(work.path() / "none.bin"), IoError);
}

TEST_CASE("a failed save of a holder leaves the existing files unchanged", "[L7]") {
  WorkFolder work;
  const auto file = work.path() / "holder.bin";
  save_holder(file, some_holder());
  const auto before = contents(file);
  {
    const FullDisk disk{before.size() / 2};
    CHECK_THROWS_AS(save_holder(file, some_holder()), IoError);
  }
  CHECK(contents(file) == before);
  CHECK(std::distance(std::filesystem::directory_iterator{work.path()}, {}) == 1);
}
