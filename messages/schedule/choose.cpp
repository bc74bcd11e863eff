#include "messages/schedule/choose.hpp"

#include "base/text/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace troupe {

namespace {

constexpr auto rising = std::to_array<std::string_view>(
  {"acc",     "accuracy",   "accuracies",  "ap",          "auc",      "auprc",       "auroc",
   "bleu",    "correct",    "correlation", "dice",        "elbo",     "f1",          "f1score",
   "f2",      "fbeta",      "gain",        "hit",         "hits",     "iou",         "jaccard",
   "kappa",   "likelihood", "map",         "mcc",         "miou",     "mrr",         "ndcg",
   "pearson", "precision",  "psnr",        "r2",          "r2score",  "recall",      "reward",
   "rewards", "roc",        "rouge",       "sensitivity", "spearman", "specificity", "ssim",
   "success", "throughput", "top",         "tpr",         "win",      "wins"});

constexpr auto falling = std::to_array<std::string_view>(
  {"bce",      "bpc",        "brier",      "cer",    "cost",     "cross",   "crossentropy",
   "deviance", "distance",   "divergence", "ece",    "err",      "error",   "errors",
   "fid",      "fnr",        "fpr",        "hinge",  "kl",       "logloss", "loss",
   "losses",   "mae",        "mape",       "misses", "mistakes", "mse",     "msle",
   "nll",      "perplexity", "ppl",        "regret", "residual", "risk",    "rmse",
   "rmsle",    "smape",      "sse",        "ter",    "wape",     "wer",     "xent"});

/// Properties of a metric whose direction is not the metric's.
constexpr auto of_another_kind = std::to_array<std::string_view>(
  {"std", "deviation", "variance", "version", "undefined", "aggregated", "patience", "far"});

bool has_word(std::string_view word, const auto& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The words of a name in lower case: "validation_R2", "valR2", "recall@5", "top1".
std::vector<std::string> words_of_record(std::string_view name) {
  std::vector<std::string> words(1);
  auto before = '_';
  for (const auto c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0) {
      words.emplace_back();
    } else {
      if (std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0)
        words.emplace_back();
      words.back() += static_cast<char>(std::tolower(byte));
    }
    before = c;
  }
  return words;
}

std::optional<Choose> choice_by_word(std::string word) {
  for (;;) {
    if (has_word(word, rising))
      return Choose::max;
    if (has_word(word, falling))
      return Choose::min;
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word.back())) == 0)
      return {};
    word.pop_back(); // "top5", "acc1"
  }
}

/// The record with a misspelled word corrected, for a suggestion: "validation_acuracy".
std::optional<std::string> meant_record(const std::string& record) {
  constexpr std::size_t shortest = 4; // shorter words are similar to too many others
  std::vector<std::string> known{rising.begin(), rising.end()};
  known.insert(known.end(), falling.begin(), falling.end());
  for (const auto& word : words_of_record(record))
    if (const auto at = record.find(word); word.size() >= shortest && at != std::string::npos)
      if (const auto near = nearest_name(word, known); near && near->size() >= shortest)
        return record.substr(0, at) + *near + record.substr(at + word.size());
  return {};
}

} // namespace

std::optional<Choose> choice_by_name(std::string_view record) {
  const auto words = words_of_record(record);
  std::optional<Choose> choice;
  for (const auto& word : words) {
    if (has_word(word, of_another_kind))
      return {};
    if (const auto said = choice_by_word(word))
      choice = said;
  }
  const auto turned = std::count(words.begin(), words.end(), "neg")
                      + std::count(words.begin(), words.end(), "negative");
  if (choice && turned % 2 != 0)
    choice = *choice == Choose::min ? Choose::max : Choose::min;
  return choice;
}

Choose chosen(Choose choose, const std::string& record) {
  if (choose != Choose::by_name)
    return choose;
  if (const auto choice = choice_by_name(record))
    return *choice;
  const auto meant = meant_record(record);
  throw std::invalid_argument("the name of record '" + record
                              + "' does not say whether smaller or larger values are better; "
                              + (meant ? "did you mean '" + *meant + "'? Otherwise give " : "give ")
                              + "choose: min or choose: max");
}

bool is_better(double a, double b, Choose choose) {
  if (std::isnan(a) || std::isnan(b))
    return !std::isnan(a) && std::isnan(b);
  return choose == Choose::max ? a > b : a < b;
}

} // namespace troupe
