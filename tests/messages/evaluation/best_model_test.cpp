#include "messages/evaluation/best_model.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;

namespace {

using Decision = BestModel::Decision;

Records row_with(double loss) { return {{"validation_loss", Value{loss}}}; }

} // namespace

TEST_CASE("only a strictly lower loss is worth a file", "[best_model][M36]") {
  BestModel best{"validation_loss"};
  CHECK(best.offer(row_with(3), "s") == Decision::save);
  CHECK(best.offer(row_with(2), "s") == Decision::save);
  CHECK(best.offer(row_with(2), "s") == Decision::nothing);
  CHECK(best.offer(row_with(1), "s") == Decision::save);
  CHECK(best.loss() == 1);
}

TEST_CASE("a NaN as the first loss is no best model, and its file is not searched",
          "[best_model][M36]") {
  BestModel best{"validation_loss"};
  CHECK(best.offer(row_with(std::nan("")), "Not Converged") == Decision::nothing);
  CHECK(best.offer({}, "interrupted") == Decision::nothing);
  CHECK(best.offer(row_with(5), "interrupted") == Decision::save);
}

TEST_CASE("a row that is no better but has another status changes the status once",
          "[best_model][M38]") {
  BestModel best{"validation_loss"};
  best.offer(row_with(2), "Not Converged");
  CHECK(best.offer(row_with(3), "Not Converged") == Decision::nothing);
  CHECK(best.offer(row_with(3), "interrupted") == Decision::restatus);
  CHECK(best.offer({}, "interrupted") == Decision::nothing);
  BestModel successor{"validation_loss"};
  successor.restore(best.state());
  CHECK(successor.offer(row_with(2), "interrupted") == Decision::nothing);
  CHECK(successor.offer(row_with(1.5), "interrupted") == Decision::save);
}

TEST_CASE("statistics are told as name and value, with a tag behind them", "[best_model][M39]") {
  CHECK(training_stats(4, 2) == "episodes_aggregated 4; loss 0.5 [Training]");
  CHECK(training_stats(0, 0) == "episodes_aggregated 0 [Training]");
  const Records row{{"validation_loss", Value{0.25}},
                    {"validation_accuracy", Value{0.5}},
                    {"validation_version", Value{std::int64_t{7}}},
                    {"validation_text", Value{"no number"}},
                    {"validation_loss_best_so_far_patience_epochs", Value{std::int64_t{3}}},
                    {"training_loss", Value{9.0}}};
  CHECK(validation_stats(row, "validation", "Full Validation")
        == "accuracy 0.5; loss 0.25 [Full Validation]");
  CHECK(validation_stats({}, "validation", "Full Validation") == "[Full Validation]");
}
