#include "messages/loop/epoch_size.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

/// A state after so many batches, with epochs of 10 batches and 300 examples.
SavedTrainer saved_after(Step batches) {
  SavedTrainer saved;
  saved.cursor = saved.position.batches = batches;
  saved.position.epochs = batches / 10;
  saved.epoch_started = batches % 10 > 0;
  saved.epoch_size = {10, 300};
  return saved;
}

} // namespace

TEST_CASE("where epochs are as long as they were, a state goes on at its cursor", "[B45]") {
  for (const Step batches : {0, 7, 10, 20, 23})
    CHECK(cursor_from(saved_after(batches), {10, 300}) == batches);
}

TEST_CASE("between two epochs a state resumes with the next one, whatever the epochs' size",
          "[B45]") {
  CHECK(cursor_from(saved_after(20), {3, 300}) == 6);
  CHECK(cursor_from(saved_after(20), {19, 600}) == 38);
}

TEST_CASE("within an epoch a state is refused if epochs have another size", "[B45]") {
  CHECK_THROWS_WITH(cursor_from(saved_after(13), {3, 300}),
                    Contains("in the middle of an epoch of 10 batches (300 examples)")
                      && Contains("an epoch here has 3 batches (300 examples)")
                      && Contains("batch_size"));
  // As many batches, but a larger last one: each would have other examples.
  CHECK_THROWS_WITH(cursor_from(saved_after(13), {10, 305}), Contains("10 batches (305 examples)"));
  // cure: ; continue with that run's data, sampler, batch_size and drop_last, or from a state that
  // was saved between two epochs
  CHECK(cursor_from(saved_after(13), {10, 300}) == 13);
  CHECK(cursor_from(saved_after(10), {10, 305}) == 10);
}
