#include "troupe/apps/grid/test.hpp"

#include "troupe/actors/grid_supervisor.hpp"
#include "troupe/actors/record_file.hpp"
#include "troupe/apps/components.hpp"
#include "troupe/apps/grid/problem_cache.hpp"
#include "troupe/apps/run_config.hpp"
#include "troupe/apps/run_files.hpp"
#include "troupe/apps/run_problem.hpp"
#include "troupe/apps/system_config.hpp"
#include "troupe/apps/trained_model.hpp"
#include "troupe/messages/durable_file.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/saved_run.hpp"
#include "troupe/messages/synchronising_pause.hpp"
#include "troupe/model/evaluation_pass.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <set>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr Index tested_at_once = 256; // examples of a batch

struct WantedTest {
  fs::path folder;
  std::uint32_t number = 1; ///< of the run's tests
};

fs::path test_file(const WantedTest& wanted) {
  return wanted.folder / ("test-" + std::to_string(wanted.number) + ".json");
}

void measure(const WantedTest& wanted, ProblemCache& problems) {
  const auto model_file = best_model(wanted.folder);
  if (!model_file)
    throw IoError("there is no model in '" + wanted.folder.string() + "'");
  ConfigSources sources;
  sources.files = {wanted.folder / "config.yaml"};
  const auto config = read_run_config(sources);
  const auto problem = sampled(problems.get(*config.tree.find("problem")), config, Section::test);
  if (problem->size(Section::test) == 0)
    throw ConfigError("problem '" + problem->name()
                      + "' has no examples to test on; give it some, or leave the test away");
  std::shared_ptr<Model> model = make_model(*config.tree.find("model"), problem->spec());
  EvaluationPass pass{
    problem,       model,          trained_parameters(model_file->string()).values,
    Section::test, tested_at_once, 0};
  while (!pass.done())
    pass.step();
  const auto now
    = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  nlohmann::ordered_json json;
  json["model"] = model_file->string();
  json["time"] = utc_text(now.count());
  json["examples"] = pass.examples();
  for (const auto& [name, value] : pass.metrics().values())
    json["metrics"][name] = value; // one that is not finite becomes null
  write_file(test_file(wanted), json.dump() + "\n");
}

/// @param patient whether each test is on the disk before the next begins
TrialRunner spawn_test_runner(caf::actor_system& system, const std::vector<WantedTest>& wanted,
                              ProblemCache& problems, bool patient) {
  const auto runner = [&wanted, &problems, patient]() -> TrialRunner::behavior_type {
    return {[&wanted, &problems, patient](const RunTrial& trial) {
      TrialEnded ended;
      ended.run = trial.run;
      ended.attempt = trial.attempt;
      const SynchronisingPause pause{!patient};
      try {
        measure(wanted[trial.run - 1], problems);
      } catch (const std::exception& e) {
        ended.outcome = TrialOutcome::refused;
        ended.reason = e.what();
      }
      return ended;
    }};
  };
  return system.spawn<caf::detached>(runner);
}

bool is_tested(const WantedTest& wanted) {
  std::error_code error;
  const auto model = best_model(wanted.folder);
  return model && is_there(test_file(wanted))
         && fs::last_write_time(test_file(wanted), error) >= fs::last_write_time(*model, error);
}

std::vector<WantedTest> wanted_tests(const GridPlan& plan, std::uint32_t repeat) {
  const auto journal = read_journal(fs::path{plan.options().settings.folder} / journal_file);
  std::set<RunNumber> done;
  for (const auto& ended : journal.ended)
    if (ended.outcome == TrialOutcome::done && ended.run <= plan.runs())
      done.insert(ended.run);
  std::vector<WantedTest> wanted;
  for (const auto run : done)
    for (std::uint32_t number = 1; number <= repeat; ++number)
      if (const WantedTest test{plan.folder_of(run), number}; !is_tested(test))
        wanted.push_back(test);
  return wanted;
}

GridEnded test_all(const GridPlan& plan, const std::vector<WantedTest>& wanted) {
  ProblemCache problems;
  const auto seats = seats_of(plan.options().settings.at_once);
  SystemConfig config{2};
  config.add_message_types<caf::id_block::troupe_grid>();
  caf::actor_system system{config};
  GridAgendaOptions agenda;
  agenda.runs = wanted.size();
  GridSupervisorOptions options{GridAgenda{agenda}, {}, nullptr, {}};
  for (std::size_t i = 0; i < seats.size(); ++i)
    options.runners.push_back(spawn_test_runner(
      system, wanted, problems, plan.options().settings.sync == JournalSync::always));
  options.tell = [&wanted](const TrialEnded& ended, const GridAgenda&) {
    if (!ended.reason.empty())
      std::cerr << "cannot test '" + wanted[ended.run - 1].folder.string() + "': " + ended.reason
                     + "\n";
  };
  const auto supervisor = spawn_grid_supervisor(system, std::move(options));
  GridEnded ended;
  caf::scoped_actor self{system};
  self->request(supervisor, caf::infinite, StartGrid{})
    .receive([&](const GridEnded& answer) { ended = answer; },
             [&](const caf::error& error) { ended.error = sentence(error); });
  return ended;
}

} // namespace

std::optional<fs::path> best_model(const fs::path& folder) {
  std::error_code ignored;
  for (const auto* name : {"best.bin", saved_run_file})
    if (fs::exists(folder / name, ignored))
      return folder / name;
  return {};
}

std::vector<RunTest> read_tests(const fs::path& folder) {
  std::vector<RunTest> tests;
  for (std::uint32_t number = 1;; ++number) {
    RunTest test;
    test.file = test_file({folder, number}).string();
    std::ifstream file{test.file};
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object() || !json.contains("metrics") || !json["metrics"].is_object())
      return tests;
    test.model = json.value("model", "");
    test.time = json.value("time", "");
    for (const auto& [name, value] : json["metrics"].items())
      test.metrics[name]
        = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    tests.push_back(std::move(test));
  }
}

int grid_test(const GridCommand& command) {
  const auto plan = started_plan(command);
  const auto wanted = wanted_tests(plan, command.repeat);
  const auto ended = test_all(plan, wanted);
  if (!command.quiet)
    std::cerr << ended.done << " tests done, " << ended.failed << " failed\n";
  if (!ended.error.empty())
    throw IoError("the tests ended before their time: " + ended.error);
  return static_cast<int>(ended.failed > 0 ? ExitCode::internal : ExitCode::done);
}

} // namespace troupe
