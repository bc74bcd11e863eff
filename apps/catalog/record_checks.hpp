// The records that a run writes: waiting for any other record is refused before training.
#pragma once

#include "apps/catalog/extension_catalog.hpp"
#include "extensions/support/run_hooks.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class WrittenRecords {
public:
  /// @param model has to outlive it
  WrittenRecords(const std::vector<ConfiguredExtension>& extensions,
                 std::shared_ptr<const Problem> problem, const Model& model);

  /// Adds those of the test after training.
  void add_test();

  /// @param waits the waiting extension, like "extensions.early_stopping"
  /// @returns the error for a record that is never written; "" if it may be written.
  std::string refusal(const std::string& waits, const std::string& record);

private:
  bool has_examples(const MeasuredMetrics& measured) const;
  const std::vector<std::string>& metrics();
  std::vector<std::string> names_of(const MeasuredMetrics& measured);

  std::shared_ptr<const Problem> problem_;
  const Model& model_;
  std::vector<std::string> names_; ///< a trailing '*' stands for any text
  std::vector<MeasuredMetrics> measured_;
  std::optional<std::vector<std::string>> metrics_; ///< of the model, computed on demand
};

/// Adds a sentence for each record that an extension waits for and that is never written.
void check_records(const std::vector<ConfiguredExtension>& extensions,
                   const std::shared_ptr<const Problem>& problem, const Model& model,
                   Sentences& errors);

} // namespace troupe
