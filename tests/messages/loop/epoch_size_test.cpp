#include "messages/loop/epoch_size.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

/// Saved after so many batches, where an epoch had 10 of 300 examples.
SavedTrainer saved_after(Step batches) {
  SavedTrainer saved;
  saved.cursor = saved.position.batches = batches;
  saved.position.epochs = batches / 10;
  saved.epoch_started = batches % 10 > 0;
  put_epoch_size(saved, {10, 300});
  return saved;
}

SavedTrainer of_earlier_version(SavedTrainer saved) {
  erase_epoch_size(saved.row);
  return saved;
}

} // namespace

TEST_CASE("where epochs are as long as they were, a state goes on at its cursor", "[B45]") {
  for (const Step batches : {0, 7, 10, 20, 23}) {
    CHECK(cursor_from(saved_after(batches), {10, 300}) == batches);
    CHECK(cursor_from(of_earlier_version(saved_after(batches)), {10, 300}) == batches);
  }
}

TEST_CASE("between two epochs a state goes on with the next one, whatever an epoch's length",
          "[B45]") {
  CHECK(cursor_from(saved_after(20), {3, 300}) == 6);
  CHECK(cursor_from(saved_after(20), {19, 600}) == 38);
  CHECK(cursor_from(of_earlier_version(saved_after(20)), {3, 300}) == 6);
}

TEST_CASE("in the middle of an epoch a state is refused where epochs have another length",
          "[B45]") {
  CHECK_THROWS_WITH(cursor_from(saved_after(13), {3, 300}),
                    Contains("in the middle of an epoch of 10 batches (300 examples)")
                      && Contains("an epoch here has 3 batches (300 examples)")
                      && Contains("batch_size"));
  // As many batches, of which the last has more: other examples would be in each.
  CHECK_THROWS_WITH(cursor_from(saved_after(13), {10, 305}), Contains("10 batches (305 examples)"));
  CHECK_THROWS_WITH(cursor_from(of_earlier_version(saved_after(13)), {3, 300}),
                    Contains("at batch 13 after 1 epochs"));
}
