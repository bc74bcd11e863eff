// Which records a run writes: what waits for another one is refused before training begins.
#pragma once

#include "apps/catalog/extension_catalog.hpp"
#include "extensions/monitoring/stream_monitoring.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class WrittenRecords {
public:
  /// @param model has to live as long
  WrittenRecords(const std::vector<ConfiguredExtension>& extensions,
                 std::shared_ptr<const Problem> problem, const Model& model);

  /// Those of the test after training, too.
  void add_test();

  /// @param waits what waits for the record, like "extensions.early_stopping"
  /// @returns the sentence that refuses a record which nothing writes; "" where something may.
  std::string refusal(const std::string& waits, const std::string& record);

private:
  bool has_examples(const StreamMonitoringOptions& monitor) const;
  const std::vector<std::string>& metrics();
  std::vector<std::string> names_of(const StreamMonitoringOptions& monitor);

  std::shared_ptr<const Problem> problem_;
  const Model& model_;
  std::vector<std::string> names_; ///< a '*' at the end stands for anything
  std::vector<StreamMonitoringOptions> monitors_;
  std::optional<std::vector<std::string>> metrics_; ///< of the model, once they have been needed
};

/// Adds a sentence for each record that an extension waits for and nothing writes.
void check_records(const std::vector<ConfiguredExtension>& extensions,
                   const std::shared_ptr<const Problem>& problem, const Model& model,
                   Sentences& errors);

} // namespace troupe
