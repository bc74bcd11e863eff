// When an extension acts, by its section.
#include "apps/catalog/extension_catalog.hpp"
#include "apps/run_config/extension_checks.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

ConfiguredExtension extension_of_section(const std::string& name, const std::string& section) {
  ConfiguredExtension extension;
  REQUIRE(read_extension(name, read(section), extension).empty());
  return extension;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// The batches whose rows in a log have the record.
std::set<Step> batches_with(const std::string& log, const std::string& record) {
  std::set<Step> batches;
  std::istringstream lines{log};
  for (std::string line; std::getline(lines, line);)
    if (const auto row = nlohmann::json::parse(line);
        row.contains("records") && row["records"].contains(record))
      batches.insert(row["batch"].get<Step>());
  return batches;
}

} // namespace

TEST_CASE("an extension is called for each condition that holds, or once if it coalesces",
          "[B23]") {
  const auto [coalesce, calls] = GENERATE(std::pair{"false", 2}, std::pair{"true", 1});
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train training.epochs=1 " + small_digits
                   + "extensions.progress_bar=false extensions.printing.every_n_epochs=1 "
                     "extensions.printing.coalesce="
                   + coalesce);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(occurrences(ran.error, "epoch 1, batch 10") == static_cast<std::size_t>(calls));
}

TEST_CASE("every kind of extension can coalesce, with its companion checkpoint", "[B23][B41]") {
  for (const auto& name : extension_names()) {
    INFO(name);
    const auto defaults = extension_defaults(name, "here");
    REQUIRE(defaults.find("coalesce") != nullptr);
    CHECK(defaults.find("coalesce")->text() == "false");
  }
  auto stopping = extension_of_section("early_stopping", "{epochs: 2, coalesce: true}");
  CHECK(stopping.conditions.coalesced());
  std::vector<ConfiguredExtension> all{std::move(stopping)};
  add_companions(all);
  REQUIRE(all.size() == 2);
  CHECK(all[1].conditions.coalesced());
  ConfiguredExtension wrong;
  CHECK_THAT(lines_of(read_extension("timing", read("{coalesce: sometimes}"), wrong)),
             Contains("extensions.timing.coalesce") && Contains("'sometimes'"));
}

TEST_CASE("on_record adds a condition for each record of each callback", "[B24]") {
  const auto extension = extension_of_section(
    "checkpoint", "{after_training: false, on_record: {after_epoch: best, after_batch: [a, b], "
                  "before_epoch: false}}");
  std::vector<std::pair<Callback, std::string>> conditions;
  for (const auto& condition : extension.conditions.all())
    conditions.emplace_back(condition.callback, condition.record);
  CHECK(conditions
        == std::vector<std::pair<Callback, std::string>>{{Callback::after_epoch, "best"},
                                                         {Callback::after_batch, "a"},
                                                         {Callback::after_batch, "b"}});
  CHECK(extension_of_section("timing", "{on_record: false}").conditions.all().size() == 2);
}

TEST_CASE("an on_record that names no callback or no record is refused with its place", "[B26]") {
  const auto refused = [](const std::string& section) {
    ConfiguredExtension extension;
    return lines_of(read_extension("timing", read(section), extension));
  };
  CHECK_THAT(refused("{on_record: best}"), Contains("extensions.timing.on_record (run.yaml:1:")
                                             && Contains("is 'best'")
                                             && Contains("like {after_epoch: "));
  CHECK_THAT(refused("{on_record: {after_epochs: best}}"),
             Contains("extensions.timing.on_record.after_epochs (run.yaml:1:")
               && Contains("unknown callback 'after_epochs'"));
  CHECK_THAT(refused("{on_record: {after_epoch: {best: 1}, after_batch: [true]}}"),
             Contains("on_record.after_epoch (") && Contains("a map")
               && Contains("on_record.after_batch (") && Contains("'true'"));
  CHECK_THAT(refused("{on_records: {after_epoch: best}}"), Contains("did you mean 'on_record'"));
}

TEST_CASE("the best state is saved before a state from which the run can be resumed",
          "[B41][B42]") {
  std::vector<ConfiguredExtension> all{extension_of_section("checkpoint", "{}"),
                                       extension_of_section("early_stopping", "{epochs: 2}")};
  add_companions(all);
  std::vector<std::string> names;
  for (auto number : configured_order(all))
    names.push_back(all[number].name);
  CHECK(names == std::vector<std::string>{"early_stopping", "early_stopping.best", "checkpoint"});
}

TEST_CASE("an extension that waits for a record acts at the rows that have it, after its writer",
          "[B24][P13]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train -q optimizer.learning_rate=0.1 training.epochs=12 "
                 "'extensions.at_best={type: stream_monitoring, section: test, prefix: at_best, "
                 "before_first_epoch: false, after_epoch: false, on_record: "
                 "{after_epoch: validation_loss_best_so_far}}' "
                 "'extensions.early_stopping={epochs: 100}' "
                   + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto log = contents(work.path() / "runs/latest/log.jsonl");
  const auto best = batches_with(log, "validation_loss_best_so_far");
  CHECK(batches_with(log, "at_best_loss") == best);
  CHECK_FALSE(best.empty());
  CHECK(best.size() < 12);
}

TEST_CASE("extensions that wait for each other's records are refused", "[B24][P13]") {
  CHECK_THAT(sentence_of<ConfigError>([] {
               check_together(
                 {extension_of_section("early_stopping", "{epochs: 2}"),
                  extension_of_section("stream_monitoring", "{on_record: {after_epoch: "
                                                            "validation_loss_best_so_far}}")});
             }),
             Contains("extensions wait for each other"));
}
