// Runs the program with a trainer, and reads the results.
#pragma once

#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace troupe::test {

/// A folder in which the built-in digits are trained.
class Experiment {
public:
  using Batches = std::vector<int>;

  /// Ten batches an epoch; the validation section has three batches of the evaluator.
  static inline const std::string ten_batches
    = "problem.train=200 problem.validation=600 problem.test=20 model.hidden='[8]' "
      "training.seed=5 training.batch_size=20 ";

  static inline const std::string limits = "training.terminal_conditions.";

  const std::filesystem::path& path() const { return work_.path(); }

  /// Trains, and fails the test if that fails. @returns the result.
  nlohmann::json train(const std::string& words) const {
    const auto ran = troupe_program(path(), "train -q --json " + ten_batches + words);
    INFO(words << "\n" << ran.error);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out);
  }

  /// The values of one record in the last run's log, with their batches, in order.
  std::vector<std::pair<int, nlohmann::json>> log_of(const std::string& record) const {
    std::vector<std::pair<int, nlohmann::json>> values;
    std::istringstream log{contents(path() / "runs/latest/log.jsonl")};
    for (std::string line; std::getline(log, line);)
      if (const auto row = nlohmann::json::parse(line);
          row.contains("records") && row["records"].contains(record))
        values.emplace_back(row["batch"].get<int>(), row["records"][record]);
    return values;
  }

  Batches batches_of(const std::string& record) const {
    Batches batches;
    for (const auto& [batch, value] : log_of(record))
      batches.push_back(batch);
    return batches;
  }

  /// The value after a name in the output of `troupe show` for a model.
  std::string shown(const std::string& name,
                    const std::string& file = "runs/latest/models/model_best.bin") const {
    const auto ran = troupe_program(path(), "show " + file);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    std::istringstream lines{ran.out};
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name + " "))
        return line.substr(17);
    return "(no " + name + ")";
  }

private:
  WorkFolder work_;
};

} // namespace troupe::test
