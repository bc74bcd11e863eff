// The records that extensions declare, and those that they write.
#include "apps/catalog/extension_catalog.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Options with which a kind writes everything that it can write in a short run, and one of these
/// records; "" for a kind that writes none there.
struct WritingKind {
  std::string section;
  std::string record;
};

std::map<std::string, WritingKind> writing_kinds(const std::string& folder) {
  const auto kept = "path: " + folder + "/kept.bin";
  return {
    {"best_model", {"", "model_saved_to"}},
    {"checkpoint", {kept + ", after_epoch: true", "saved_to"}},
    {"early_stopping", {"epochs: 9", "validation_loss_best_so_far"}},
    {"finish_after", {"after_n_batches: 7", ""}}, // the run's own extension also asks for the end
    {"finish_if_no_improvement",
     {"notification: validation_loss, epochs: 9", "validation_loss_patience_epochs"}},
    {"histograms", {"every_n_batches: 5, gradients: true", "_hist_linear0.bias"}},
    {"load", {kept, "loaded_from"}},
    {"nan_guard", {"", ""}}, // there is nothing to guard against
    {"norms", {"every_n_batches: 5, per_parameter: true, prefix: my", "my_update_ratio"}},
    {"hyperparameter_scheduler",
     {"record: true, schedule: {name: exponential, gamma: 0.9}", "learning_rate"}},
    {"printing", {"", ""}},
    {"profile", {"", ""}},
    {"progress_bar", {"", ""}},
    {"samples", {"", ""}},
    {"shared_params_auto_sync", {"every_n_batches: 2, timing_log: true", "param_sync_version"}},
    {"shared_params_rate_limited", {"sync: {timing_log: true}", "param_syncs"}},
    {"statistics", {"", ""}}, // the problem has no statistics
    {"stop_after_time_elapsed", {"total_duration: 12h", ""}},
    {"stream_monitoring", {"suffix: again, spread: true", "validation_loss_std_again"}},
    {"tensorboard", {"", ""}},
    {"terminal_conditions", {"limits: {epoch_limit: 1}", "training_status"}},
    {"timestamp", {"", "unix_time"}},
    {"timing", {"every_n_batches: 5, prefix: my", "my_time_train_this_batch"}},
    {"trace", {"", ""}},
    {"track_the_best", {"", "validation_loss_best_so_far"}},
    {"training_monitoring", {"aggregation: maximum", "training_loss"}},
  };
}

/// The names of all records in the log of a short run with hardly any other extension.
std::set<std::string> names_written(const WorkFolder& work, const std::string& more) {
  const auto ran = troupe_program(
    work.path(), "train -q --json training.epochs=2 " + small_digits
                   + "extensions.training_monitoring=false extensions.timing=false "
                     "extensions.timestamp=false extensions.checkpoint=false "
                   + more);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  std::set<std::string> names;
  std::istringstream lines{
    contents(work.path() / nlohmann::json::parse(ran.out)["run"].get<std::string>() / "log.jsonl")};
  for (std::string line; std::getline(lines, line);)
    if (const auto row = nlohmann::json::parse(line); row.contains("records"))
      for (const auto& [name, value] : row["records"].items())
        names.insert(name);
  return names;
}

/// Whether an extension that needs the record is ordered after one that declares these.
bool is_declared(const std::string& record, const std::vector<std::string>& writes) {
  return extension_order(
           {{.name = "reader", .needs = {record}}, {.name = "writer", .writes = writes}})
           .front()
         == 1;
}

ConfiguredExtension tested_extension(const std::string& section) {
  ConfiguredExtension extension;
  REQUIRE(read_extension("tested", read(section), extension).empty());
  return extension;
}

} // namespace

TEST_CASE("every kind of extension declares each record that it writes", "[B24][P13]") {
  const WorkFolder work;
  const std::string two = "training.workers=2 extensions.shared_params_rate_limited=false ";
  const auto without = names_written(work, "");
  const auto kinds = writing_kinds(work.path().string());
  names_written(work, "'extensions.tested={type: checkpoint, " // for a load
                        + kinds.at("checkpoint").section + "}'");
  for (const auto& name : extension_names()) {
    if (name == "function" || name == "function_gate")
      continue; // it is in the memory of the program that trains, which names its records
    INFO(name);
    REQUIRE(kinds.count(name) == 1);
    const auto& [options, record] = kinds.at(name);
    const auto section = "{type: " + name + (options.empty() ? "" : ", ") + options + "}";
    std::vector<ConfiguredExtension> brought{tested_extension(section)};
    add_companions(brought);
    std::vector<std::string> writes;
    for (const auto& extension : brought)
      for (auto& pattern : place_of(extension).writes)
        writes.push_back(std::move(pattern));
    const auto written = names_written(work, (name.starts_with("shared_params") ? two : "")
                                               + "'extensions.tested=" + section + "'");
    CHECK((record.empty() || written.count(record) == 1));
    for (const auto& found : written) {
      INFO(found);
      CHECK((without.count(found) == 1 || is_declared(found, writes)));
    }
  }
}

TEST_CASE("an extension that waits for a record comes after every gate that may write it",
          "[B24][P13]") {
  const std::vector<std::pair<std::string, std::string>> writers{
    {"nan_guard", "nan_guard_rewinds"},
    {"nan_guard", "training_finish_requested"},
    {"finish_after", "training_finish_requested"},
    {"stop_after_time_elapsed, total_duration: 12h", "training_finish_requested"},
    {"early_stopping, epochs: 2", "training_finish_requested"},
    {"early_stopping, epochs: 2, patience_record: patience", "patience"},
    {"finish_if_no_improvement, batches: 2", "validation_loss_best_so_far_patience_batches"},
    {"hyperparameter_scheduler, setting: momentum, record: true", "momentum"},
    {"statistics", "training_accuracy"},
    {"best_model", "model_saved_to"},
  };
  for (const auto& [type, record] : writers) {
    INFO(type << " writes " << record);
    auto waiting = tested_extension("{type: stream_monitoring, section: test, on_record: "
                                    "{after_epoch: "
                                    + record + "}}");
    waiting.name = "waiting";
    CHECK(configured_order({waiting, tested_extension("{type: " + type + "}")})
          == std::vector<std::size_t>{1, 0});
  }
}
