#include "messages/loop/termination.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace troupe;

namespace {

using Causes = std::vector<TerminationCause>;

/// Limits that end nothing.
constexpr TerminationLimits no_limits{.loss_stop = -1, .epoch_limit = -1, .episode_limit = -1};

Position place(Step batches, Epoch epochs) {
  Position position;
  position.batches = batches;
  position.epochs = epochs;
  return position;
}

/// Validates after each of some epochs of ten batches. @returns the one after which training ends;
/// 0: none.
Epoch ends_after(Termination conditions, const std::vector<double>& losses) {
  for (Epoch epoch = 1; epoch <= losses.size(); ++epoch)
    if (!conditions.update(place(10 * epoch, epoch), losses[epoch - 1]).empty())
      return epoch;
  return 0;
}

} // namespace

TEST_CASE("only a validation's loss below the threshold ends training, not an equal one",
          "[terminal_conditions][M23]") {
  auto limits = no_limits;
  limits.loss_stop = 0.5;
  const Termination conditions{TrainerKind::offline, limits, 0};
  CHECK(ends_after(conditions, {0.9, 0.5, 0.5}) == 0);
  CHECK(ends_after(conditions, {0.9, 0.5, 0.499}) == 3);
  CHECK(ends_after(conditions, {std::nan(""), 0.9}) == 0);
}

TEST_CASE("a limit of epochs or episodes is reached exactly there",
          "[terminal_conditions][M24][M25]") {
  auto limits = no_limits;
  limits.epoch_limit = 3;
  limits.episode_limit = 250;
  Termination conditions{TrainerKind::offline, limits, 0};
  CHECK(conditions.update(place(249, 2), {}).empty());
  CHECK_FALSE(conditions.closes_epoch(place(249, 2)));
  CHECK(conditions.closes_epoch(place(250, 2)));
  CHECK(conditions.update(place(250, 2), {}) == Causes{TerminationCause::episodes});
  CHECK(conditions.update(place(250, 3), {}) == Causes{TerminationCause::epochs});
  CHECK(conditions.causes() == Causes{TerminationCause::episodes, TerminationCause::epochs});
}

TEST_CASE("online training leaves the epoch open at the limit of episodes",
          "[terminal_conditions][M25]") {
  auto limits = no_limits;
  limits.episode_limit = 250;
  const Termination conditions{TrainerKind::online, limits, 0};
  CHECK_FALSE(conditions.closes_epoch(place(250, 2)));
}

TEST_CASE("the strongest cause gives the status, in any combination and order",
          "[terminal_conditions][M26]") {
  std::mt19937 random{3};
  for (int round = 0; round < 500; ++round) {
    TerminationLimits limits{.loss_stop = 0.5,
                             .epoch_limit = random() % 2 == 0 ? 2 : -1,
                             .episode_limit = random() % 2 == 0 ? 20 : -1,
                             .early_stop_delta = random() % 2 == 0 ? 0.0 : -1.0,
                             .early_stop_validations = 1};
    const auto kind = random() % 2 == 0 ? TrainerKind::offline : TrainerKind::online;
    const double loss = random() % 2 == 0 ? 0.4 : 0.6;
    Termination conditions{kind, limits, 0};
    conditions.update(place(10, 1), 0.55); // ends nothing, but may not be improved by 0.6
    if (random() % 2 == 0)                 // the limits are met before the validation is told
      conditions.update(place(20, 2), {});
    conditions.update(place(20, 2), loss);
    Causes expected;
    if (loss < 0.5)
      expected.push_back(TerminationCause::loss);
    if (limits.episode_limit > 0)
      expected.push_back(TerminationCause::episodes);
    if (limits.epoch_limit > 0)
      expected.push_back(TerminationCause::epochs);
    if (limits.early_stop_delta >= 0 && loss > 0.55)
      expected.push_back(TerminationCause::no_improvement);
    CHECK(conditions.causes() == expected);
    CHECK(conditions.status()
          == (expected.empty() ? not_converged : status_text(expected.front(), kind)));
  }
}

TEST_CASE("a validation counts once, however often it is passed", "[terminal_conditions][M23]") {
  std::mt19937 random{5};
  for (int round = 0; round < 200; ++round) {
    const TerminationLimits limits{
      .loss_stop = 0.05, .epoch_limit = -1, .early_stop_delta = 0.1, .early_stop_validations = 3};
    Termination once{TrainerKind::online, limits, 0}, often = once;
    for (Step batch = 1; batch < 12; ++batch) {
      const double loss = static_cast<double>(random() % 10) / 10;
      once.update(place(batch, 0), loss);
      for (auto times = 1 + random() % 3; times > 0; --times)
        often.update(place(batch, 0), loss);
      often.update(place(batch, 0), {});
      REQUIRE(often.state() == once.state());
      REQUIRE(often.causes() == once.causes());
    }
  }
}

TEST_CASE("the statuses are those of MI-Prometheus", "[terminal_conditions][M27]") {
  CHECK(Termination{TrainerKind::offline, {}, 0}.status() == "Not Converged");
  CHECK(status_text(TerminationCause::loss, TrainerKind::offline)
        == "Converged (Full Validation Loss went below Loss Stop threshold)");
  CHECK(status_text(TerminationCause::loss, TrainerKind::online)
        == "Converged (Partial Validation Loss went below Loss Stop threshold)");
  CHECK(status_text(TerminationCause::episodes, TrainerKind::online)
        == "Not converged: Episode Limit reached");
  CHECK(status_text(TerminationCause::epochs, TrainerKind::offline)
        == "Not converged: Epoch Limit reached");
  CHECK(is_terminal_status("Not converged: Epoch Limit reached"));
  CHECK_FALSE(is_terminal_status("10 epochs are done"));
}

TEST_CASE("an interrupt is the status if nothing else has ended training",
          "[terminal_conditions][M41]") {
  Termination conditions{TrainerKind::offline, {.epoch_limit = 1}, 0};
  conditions.interrupt();
  CHECK(conditions.status() == "interrupted");
  conditions.update(place(10, 1), {});
  CHECK(conditions.status() == "Not converged: Epoch Limit reached");
}

TEST_CASE("training that is resumed after an interrupt is no longer interrupted",
          "[terminal_conditions][M41]") {
  Termination conditions{TrainerKind::offline, {}, 0};
  conditions.interrupt();
  Termination successor{TrainerKind::offline, {}, 0};
  successor.restore(conditions.state());
  successor.resume(place(10, 0));
  CHECK(successor.status() == "Not Converged");
}

TEST_CASE("early stopping that begins at a resume knows the best loss so far",
          "[terminal_conditions][M28]") {
  auto limits = no_limits;
  limits.early_stop_delta = -1;
  limits.early_stop_validations = 2;
  Termination conditions{TrainerKind::offline, limits, 0};
  conditions.update(place(10, 1), 1.0);
  conditions.update(place(20, 2), 1.5);
  limits.early_stop_delta = 0;
  Termination successor{TrainerKind::offline, limits, 0};
  successor.restore(conditions.state());
  CHECK(successor.resume(place(20, 2)).empty());
  CHECK(successor.update(place(30, 3), 1.2) == Causes{TerminationCause::no_improvement});
}

TEST_CASE("early stopping ends after n validations that have not lowered the loss by delta",
          "[terminal_conditions][M28]") {
  auto limits = no_limits;
  limits.early_stop_delta = 0.1;
  limits.early_stop_validations = 3;
  const Termination conditions{TrainerKind::offline, limits, 0};
  CHECK(ends_after(conditions, {1, 0.95, 0.92, 0.9}) == 4); // never by more than 0.1 below 1
  CHECK(ends_after(conditions, {1, 0.95, 0.8, 0.75, 0.72, 0.71}) == 6);
  CHECK(ends_after(conditions, {1, 0.8, 0.6, 0.4, 0.2, 0}) == 0);
  CHECK(ends_after(conditions, {std::nan(""), std::nan(""), std::nan("")}) == 3);
  limits.early_stop_delta = -1;
  CHECK(ends_after({TrainerKind::offline, limits, 0}, {1, 1, 1, 1, 1, 1}) == 0);
}

TEST_CASE("a low loss does not end training before the curriculum is complete",
          "[terminal_conditions][M29]") {
  auto limits = no_limits;
  limits.loss_stop = 0.5;
  CHECK(ends_after({TrainerKind::offline, limits, 3}, {0.1, 0.1, 0.1, 0.1}) == 3);
  CHECK(ends_after({TrainerKind::offline, limits, 3}, {0.1, 0.1, 0.9, 0.1}) == 4);
  CHECK(ends_after({TrainerKind::offline, limits, 0}, {0.1}) == 1);
}

TEST_CASE("the defaults and the refused limits are those of MI-Prometheus",
          "[terminal_conditions][M24][M25]") {
  const auto offline = usual_limits(TrainerKind::offline);
  CHECK(offline.loss_stop == 1e-5);
  CHECK(offline.epoch_limit == 10);
  CHECK(offline.episode_limit == -1);
  const auto online = usual_limits(TrainerKind::online);
  CHECK(online.loss_stop == 1e-5);
  CHECK(online.epoch_limit == -1);
  CHECK(online.episode_limit == 100000);
  CHECK(defects_of(offline, TrainerKind::offline, "t").empty());
  CHECK(defects_of(online, TrainerKind::online, "t").empty());
  CHECK(defects_of({.epoch_limit = 0}, TrainerKind::offline, "t").size() == 1);
  CHECK(defects_of({.episode_limit = 0}, TrainerKind::offline, "t").size() == 1);
  CHECK(defects_of({.episode_limit = -1}, TrainerKind::online, "t").size() == 1);
  CHECK(defects_of({.epoch_limit = 0, .episode_limit = 5}, TrainerKind::online, "t").empty());
  CHECK(
    defects_of({.loss_stop = std::nan(""), .early_stop_validations = 0}, TrainerKind::offline, "t")
      .size()
    == 2);
}

TEST_CASE("training that is resumed anywhere decides as if it had not been stopped",
          "[terminal_conditions][M27]") {
  std::mt19937 random{7};
  for (int round = 0; round < 200; ++round) {
    const TerminationLimits limits{.loss_stop = 0.05,
                                   .epoch_limit = 9,
                                   .episode_limit = 75,
                                   .early_stop_delta = 0.1,
                                   .early_stop_validations = 3};
    const Epoch curriculum = random() % 4;
    Termination whole{TrainerKind::offline, limits, curriculum}, cut = whole;
    for (Epoch epoch = 1; epoch < 10 && whole.causes().empty(); ++epoch) {
      const double loss = static_cast<double>(random() % 10) / 10;
      whole.update(place(10 * epoch, epoch), loss);
      cut.update(place(10 * epoch, epoch), loss);
      Termination successor{TrainerKind::offline, limits, curriculum};
      successor.restore(cut.state());
      CHECK(successor.resume(place(10 * epoch, epoch)) == whole.causes());
      cut = successor;
    }
  }
}

TEST_CASE("training that is resumed with other limits keeps only causes that still hold",
          "[terminal_conditions][M26]") {
  TerminationLimits limits{.loss_stop = 0.5, .epoch_limit = 2};
  Termination conditions{TrainerKind::offline, limits, 0};
  conditions.update(place(20, 2), 0.4);
  REQUIRE(conditions.causes().size() == 2);
  limits = {.loss_stop = 0.3, .epoch_limit = 5};
  Termination successor{TrainerKind::offline, limits, 0};
  successor.restore(conditions.state());
  CHECK(successor.resume(place(20, 2)).empty());
  CHECK(successor.status() == "Not Converged");
}
