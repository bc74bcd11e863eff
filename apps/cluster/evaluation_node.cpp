#include "apps/cluster/evaluation_node.hpp"

#include "actors/evaluation/evaluator.hpp"
#include "actors/log/logger.hpp"
#include "apps/catalog/components.hpp"
#include "apps/cluster/joining.hpp"
#include "apps/config/print.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/transport/node_system.hpp"
#include "base/files/durable_file.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/sync/shared_block.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <future>
#include <iostream>

namespace troupe {

namespace {

using namespace std::chrono_literals;

/// The layout that the workers share, by the configuration's sync extension.
Layout shared_by(const RunConfig& config, const Layout& model) {
  for (const auto& extension : config.extensions) {
    const auto sharing = hook_answer(extension, &RunHooks<>::shares);
    if (!sharing)
      continue;
    const auto optimizer = make_optimizer_factory(*config.tree.find("optimizer"))(model.size());
    std::vector<std::string> slots;
    for (const auto& slot : optimizer->slots())
      slots.push_back(slot.name);
    return shared_layout(model, sharing->parts(slots));
  }
  return model;
}

/// Holds signals until `next` takes them. Construct it before any other thread starts.
class HeldSignals {
public:
  HeldSignals() { pthread_sigmask(SIG_BLOCK, &signals_, nullptr); }
  /// @returns the next one, or 0 after 100 ms without any.
  int next() const {
    const timespec pause{0, 100'000'000};
    return std::max(0, sigtimedwait(&signals_, nullptr, &pause));
  }

private:
  sigset_t signals_ = signals_to_end();
};

std::future<VersionsEvaluated> begin(caf::actor_system& system,
                                     const ContinuousEvaluator& evaluator) {
  auto promise = std::make_shared<std::promise<VersionsEvaluated>>();
  system.spawn([=](caf::event_based_actor* self) {
    self->request(evaluator, caf::infinite, EvaluateVersions{})
      .then([=](const VersionsEvaluated& evaluated) { promise->set_value(evaluated); },
            [=](const caf::error& error) {
              VersionsEvaluated failed;
              failed.outcome = Outcome::failed;
              failed.reason = sentence(error);
              promise->set_value(failed);
            });
  });
  return promise->get_future();
}

VersionsEvaluated wait_for(std::future<VersionsEvaluated> evaluated, const HeldSignals& signals,
                           const ContinuousEvaluator& evaluator, const Logger& logger) {
  auto interrupts = 0;
  while (evaluated.wait_for(0s) != std::future_status::ready) {
    const auto number = signals.next();
    if (number == SIGUSR1)
      caf::anon_send(evaluator, Stop{StopLevel::after_epoch, "training has ended", false});
    if (number == SIGUSR1 || number == 0)
      continue;
    if (number != SIGINT && interrupts >= 2)
      continue; // it is already ending; terminals and schedulers repeat signals
    interrupts = number != SIGINT ? 2 : interrupts + 1;
    if (interrupts >= 3)
      _exit(static_cast<int>(ExitCode::interrupted));
    const auto at_once = interrupts == 2;
    caf::anon_send(logger,
                   Say{Level::warning, at_once ? "interrupted: the evaluator ends"
                                               : "interrupted: the evaluator ends after the newest "
                                                 "version; press Ctrl-C again to end at once"});
    caf::anon_send(evaluator,
                   Stop{at_once ? StopLevel::now : StopLevel::after_epoch, "interrupted", true});
  }
  return evaluated.get();
}

LoggerOptions logging(const TrainCommand& command, const RunConfig& config,
                      const std::filesystem::path& folder) {
  LoggerOptions options;
  options.run = folder.filename().string();
  options.file = (folder / "log.jsonl").string();
  options.sinks = config.log;
  options.folder = folder;
  if (!command.quiet) {
    options.console = console_of_this_process();
    options.console->level = command.verbose ? Level::debug : Level::info;
    options.console->file = (folder / "console.log").string();
  }
  return options;
}

/// The fit with which the workers of a launched run read their data; "" before their first start.
std::string fit_of_workers(const ClusterMember& member, const config::Node& tree) {
  const auto run = std::filesystem::path{member.folder}.parent_path();
  const auto claim = member.folder.empty() ? std::nullopt : claim_of(run);
  const auto launched = claim && !claim->worker;
  const auto fit = launched ? fit_in(folder_of_worker(run, 0), *tree.find("problem")) : "";
  return fit.empty() ? fit_to_begin_with(tree) : fit;
}

int exit_code_of_versions(const VersionsEvaluated& evaluated) {
  switch (evaluated.outcome) {
  case Outcome::finished: return static_cast<int>(ExitCode::done);
  case Outcome::interrupted: return static_cast<int>(ExitCode::stopped_early);
  case Outcome::failed: break;
  }
  return static_cast<int>(evaluated.unavailable ? ExitCode::unavailable : ExitCode::internal);
}

} // namespace

ContinuousEvaluatorOptions evaluator_options(const EvaluationOptions& options) {
  if (options.every < 1)
    throw UsageError("--every " + std::to_string(options.every)
                     + ": give a number of versions from 1");
  if (!std::isfinite(options.idle_limit) || options.idle_limit < 0)
    throw UsageError("--idle-limit " + std::to_string(options.idle_limit)
                     + ": give a number of seconds, or 0 for none");
  ContinuousEvaluatorOptions asked;
  asked.section = section_from(options.section);
  asked.queue.every = static_cast<Version>(options.every);
  asked.queue.idle_limit = options.idle_limit;
  return asked;
}

int evaluate_versions(const TrainCommand& command, const ClusterMember& member,
                      const EvaluationOptions& options) {
  const HeldSignals signals; // before any other thread
  auto what = evaluator_options(options);
  const auto config = read_configuration(command, &member);
  std::optional<Interrupts> starting{std::in_place}; // reading the data may take long
  const auto problem = problem_of(config, fit_of_workers(member, config.tree));
  const std::shared_ptr<Model> model = model_of(config, *problem);
  starting.reset(); // from here on signals are held again
  if (problem->size(what.section) == 0)
    throw ConfigError("the problem '" + problem->name() + "' has no examples in its section '"
                      + options.section + "' to evaluate on; give another --section");
  NodeSystemConfig system_config{2}; // may throw, so before the folder is created
  caf::actor_system system{system_config};
  const auto folder = make_process_folder(config, &member);
  RunLock lock; // so that others see that a process works there
  lock.take(folder);
  write_configuration(folder, config::to_yaml(config.tree));
  const auto logger = spawn_logger(system, logging(command, config, folder));
  const auto holder
    = connection_to_holder(system, member, {}, config.cluster)(member.worker, logger);
  const auto measurer = spawn_evaluator(system, problem, model);
  what.worker = member.worker;
  what.layout = shared_by(config, model->layout());
  what.parameters = model->layout().size();
  const auto evaluator = spawn_continuous_evaluator(system, holder, measurer, logger, what);
  const auto evaluated = wait_for(begin(system, evaluator), signals, evaluator, logger);
  {
    caf::scoped_actor self{system};
    self->request(logger, 10s, Flush{}).receive([](const Flushed&) {}, [](const caf::error&) {});
  }
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(measurer, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(logger, caf::exit_reason::user_shutdown);

  const auto json = evaluation_json(evaluated, options.section, folder.string());
  std::string unwritten; // results that cannot be written are still printed
  try {
    write_file(folder / "result.json", json + "\n");
  } catch (const IoError& e) {
    unwritten = e.what();
  }
  if (evaluated.outcome == Outcome::failed)
    std::cerr << "troupe: the evaluation failed: " << evaluated.reason << std::endl;
  else
    std::cout << (command.json ? json
                               : evaluation_text(evaluated, options.section, folder.string()))
              << std::endl;
  if (!unwritten.empty()) {
    std::cerr << "troupe: " << unwritten << std::endl;
    return static_cast<int>(ExitCode::io);
  }
  return exit_code_of_versions(evaluated);
}

} // namespace troupe
