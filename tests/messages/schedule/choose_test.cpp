#include "messages/schedule/choose.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;

TEST_CASE("losses and errors are better if smaller, with any prefix or suffix", "[choose]") {
  for (const auto* name :
       {"loss", "validation_loss", "training_loss_ema", "partial_valid_loss", "validation_mse",
        "test_mae", "validation_rmse", "validation_perplexity", "word_error_rate", "valLoss",
        "validation_loss_min", "neg_accuracy", "cross_entropy", "negative_log_likelihood"})
    CHECK(choice_by_name(name) == Choose::min);
}

TEST_CASE("accuracies, R2, AUC and the like are better if larger", "[choose]") {
  for (const auto* name :
       {"accuracy", "validation_accuracy", "validation_r2", "R2", "validation_auc", "roc_auc",
        "test_f1", "precision", "validation_recall", "validation_top_3", "top5", "recall@5",
        "valAcc", "validation_accuracy_max", "log_likelihood", "neg_mean_squared_error"})
    CHECK(choice_by_name(name) == Choose::max);
}

TEST_CASE("a name without a known word implies nothing, nor does a property of a metric",
          "[choose]") {
  for (const auto* name : {"", "validation_score", "learning_rate", "time_train_total", "glossary",
                           "validation_loss_std", "validation_loss_best_so_far",
                           "validation_accuracy_patience_epochs"})
    CHECK_FALSE(choice_by_name(name));
}

TEST_CASE("an explicit choice counts, and is required if the name implies nothing", "[choose]") {
  CHECK(chosen(Choose::by_name, "validation_r2") == Choose::max);
  CHECK(chosen(Choose::min, "validation_r2") == Choose::min);
  CHECK(chosen(Choose::max, "validation_score") == Choose::max);
  CHECK_THROWS_WITH(chosen(Choose::by_name, "validation_score"),
                    Catch::Contains("'validation_score'")
                      && Catch::Contains("choose: min or choose: max"));
}

TEST_CASE("a misspelled name is refused with the one that was meant", "[choose]") {
  CHECK_THROWS_WITH(chosen(Choose::by_name, "validation_acuracy"),
                    Catch::Contains("did you mean 'validation_accuracy'?"));
  CHECK_THROWS_WITH(chosen(Choose::by_name, "my_score"), !Catch::Contains("did you mean"));
}

TEST_CASE("a number is better than NaN, and a tie is not better", "[choose]") {
  const auto nan = std::nan("");
  CHECK(is_better(1, 2, Choose::min));
  CHECK(is_better(2, 1, Choose::max));
  for (const auto choose : {Choose::min, Choose::max}) {
    CHECK(is_better(1, nan, choose));
    CHECK_FALSE(is_better(nan, 1, choose));
    CHECK_FALSE(is_better(nan, nan, choose));
    CHECK_FALSE(is_better(1, 1, choose));
  }
}
