#include "apps/session/session.hpp"

#include "actors/access/entry_point.hpp"
#include "actors/checkpoint/run_writer.hpp"
#include "apps/catalog/record_checks.hpp"
#include "apps/folder/logged_values.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/run_config/shared_result.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/reported_state.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/transport/token.hpp"
#include "base/allowed_cores.hpp"
#include "extensions/saving/checkpoint.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/log/log_lineage.hpp"
#include "messages/parameters/parameters_in.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/device/devices.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto drain_deadline = 600s; // for an extension that may still measure
constexpr auto evaluation_deadline = 3600s;

/// The actors of a run and how earlier runs are read, for its extensions.
ExtensionContext extension_context(caf::actor_system& system, const RunActors& actors) {
  ExtensionContext context{system};
  context.logger = actors.logger;
  context.evaluator = actors.evaluator;
  context.timer = actors.timer;
  context.trainers = actors.trainers;
  context.holders = actors.holders;
  context.local_holder = actors.holder;
  context.quiescence = actors.quiescence;
  context.stopper = actors.stopper;
  context.logged_rows = read_logged_rows;
  context.checkpoint_names = checkpoints_of;
  return context;
}

} // namespace

Session::Session(caf::actor_system& system, const RunConfig& config, const SessionOptions& options,
                 std::shared_ptr<const Problem> problem)
  : system_(system),
    self_(system),
    config_(config),
    options_(options),
    problem_(std::move(problem)),
    writer_(options.writer ? options.writer : spawn_run_writer(system)),
    log_(new_log_id()) {
  compose();
}

Session::~Session() {
  close_control();
  for (const auto& actor : {caf::actor_cast<caf::actor>(control_), saver_})
    if (actor)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  extensions_.reset();
  dismiss(actors_);
}

void Session::prepare() {
  restore();
  auto wanted = wanted_extensions(config_, *problem_, {all_workers(), options_.progress});
  if (!options_.files)
    leave_out_recorders(wanted);
  extensions_->attach(std::move(wanted));
  if (options_.control || extensions_->steered_before()) // recorded for the next resume
    begin_control();
  set_abandoned_best_aside();
}

WorkerEnds Session::ends() const { return caf::actor_cast<WorkerEnds>(self_.handle()); }

void Session::compose() {
  auto actors = run_actors_options(config_, problem_,
                                   options_.model ? options_.model : model_of(config_, *problem_),
                                   options_.all_workers);
  check_sources(config_.training, *problem_, *actors.model);
  actors.first_worker = options_.first_worker;
  actors.connection_to_holder = options_.connection_to_holder;
  actors.step_duration = options_.step_duration;
  actors.learner.park = options_.park;
  if (options_.step_duration == 0)
    actors.core_use = core_use;
  actors.logger.run = options_.folder.filename().string();
  if (options_.files)
    actors.logger.file = (options_.folder / "log.jsonl").string();
  actors.logger.sinks = config_.log;
  actors.logger.folder = options_.folder;
  actors.logger.id = log_;
  if (options_.resume) {
    actors.logger.resumed_from = options_.resume->log;
    for (std::size_t i = 0; i < options_.resume->trainers.size(); ++i)
      actors.logger.resumed_at[options_.first_worker + static_cast<WorkerId>(i)]
        = options_.resume->trainers[i].position.batches;
  }
  auto console = options_.console ? console_of_this_process() : ConsoleOptions{.shown = false};
  console.level = options_.console ? options_.level : Level::warning;
  if (options_.files)
    console.file = (options_.folder / "console.log").string();
  if (console.shown || options_.files)
    actors.logger.console = std::move(console);
  try {
    actors_ = spawn_run_actors(system_, actors);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  } catch (const DeviceError& e) {
    throw Failure(ExitCode::unavailable, {e.what()});
  } catch (const std::runtime_error& e) { // a log or console file that cannot be opened
    throw IoError(e.what());
  }
  layout_ = actors.model->layout();
  model_ = actors.model;
  auto context = extension_context(system_, actors_);
  context.layout = layout_;
  context.folder = options_.folder.string();
  context.writer = writer_;
  context.log = log_;
  context.nan = config_.training.nan;
  context.problem = problem_;
  context.model = actors.model;
  extensions_.emplace(std::move(context), options_.resume ? &*options_.resume : nullptr);
}

void Session::restore() {
  if (!options_.resume)
    return;
  const auto& saved = *options_.resume;
  check_workers(saved, actors_.trainers.size());
  for (std::size_t i = 0; i < actors_.trainers.size(); ++i)
    self_.ask<Restored>(actors_.trainers[i], Restore{saved.trainers[i]},
                        "the trainer of worker " + std::to_string(i));
  if (saved.shared && actors_.holder)
    self_.ask<Joined>(actors_.holder, RestoreHolder{*saved.shared}, "the parameter holder");
}

/// A run that was killed may have saved a best state after the state from which it resumes. It
/// belongs to a part of the run that does not count, and the best of before it is gone.
void Session::set_abandoned_best_aside() {
  const auto file = options_.resume ? best_state_of(config_) : std::string{};
  std::error_code error;
  const auto path = options_.folder / file;
  if (file.empty() || !std::filesystem::exists(path, error))
    return;
  try {
    const auto found = load_run(path).trainers.front().position.batches;
    const auto from = options_.resume->trainers.front().position.batches;
    if (found <= from)
      return;
    const auto aside = path.parent_path() / ("abandoned_" + path.filename().string());
    std::filesystem::rename(path, aside);
    self_->send(actors_.logger,
                Say{Level::warning, file + " is of batch " + std::to_string(found)
                                      + ", after batch " + std::to_string(from)
                                      + " from which the run resumes, and is kept as "
                                      + aside.filename().string()
                                      + "; without a better state from here on, the results are "
                                        "about the last one"});
  } catch (const std::exception&) { // take_best() says why it cannot be read
  }
}

WorkerId Session::all_workers() const {
  return options_.all_workers > 0 ? options_.all_workers : config_.training.workers;
}

// -- remote control -------------------------------------------------------------------------------

void Session::begin_control() {
  CheckpointSources sources;
  sources.trainers = actors_.trainers;
  sources.holder = actors_.holder;
  sources.logger = actors_.logger;
  sources.writer = writer_;
  sources.folder = options_.folder.string();
  sources.log = log_;
  sources.quiescence = actors_.quiescence;
  const auto saver = spawn_checkpoint(system_, {}, std::move(sources));
  saver_ = caf::actor_cast<caf::actor>(saver);
  self_->send(saver, extensions_->participants());
  ControlOptions control;
  control.token = draw_token();
  control.trainers = actors_.trainers;
  control.logger = actors_.logger;
  control.quiescence = actors_.quiescence;
  control.evaluator = actors_.evaluator;
  control.saver = caf::actor_cast<Extension>(saver);
  control.checkpoints = extensions_->checkpoints();
  control.checkpoints.push_back(saver);
  control.attached = extensions_->all();
  control.detached = extensions_->detached();
  control.spawn = [this](const auto& type, const auto& name, const auto& options) {
    return extensions_->spawn_from_options(type, name, options, true);
  };
  control.stops_at_nan = config_.training.nan == NanPolicy::stop;
  control.refuse_record = [this, model = model_](const std::string& record) {
    const auto wanted = wanted_extensions(config_, *problem_, {all_workers()});
    return WrittenRecords{wanted, problem_, *model}.refusal("a breakpoint", record);
  };
  const auto token = control.token;
  const auto checkpoints = control.checkpoints;
  control_ = spawn_control(system_, std::move(control));
  for (const auto& checkpoint : checkpoints)
    self_->send(checkpoint,
                AddParticipants{{{saved_control, caf::actor_cast<Extension>(control_)}}});
  if (options_.control)
    open_control(token);
}

void Session::open_control(const std::string& token) {
  if (config_.control.paused)
    for (const auto& trainer : actors_.trainers) // before the listener accepts commands
      self_->send(trainer, Pause{});
  EntryPointOptions entry{"remote control", "", nullptr,
                          [logger = actors_.logger](const auto& line) {
                            caf::anon_send(logger, Say{Level::warning, line});
                          }};
  listener_.emplace(entry_point_of<Control, Control>(control_, std::move(entry)),
                    listening_endpoint(config_.control.address), *options_.control, token,
                    options_.folder);
}

/// Lets followers of the log see its end.
void Session::close_control() {
  if (listener_) // otherwise no client was connected
    self_->request(control_, drain_deadline, Drain{})
      .receive([](const Drained&) {}, [](const caf::error&) {});
  listener_.reset();
}

// -- the end --------------------------------------------------------------------------------------

std::vector<Stoppable> Session::stoppable() const {
  if (actors_.quiescence)
    return {actors_.quiescence};
  return {actors_.trainers.begin(), actors_.trainers.end()};
}

void Session::wait_for_ends() {
  while (result_.finished.size() < actors_.trainers.size())
    self_->receive([this](Finished& finished) { add(std::move(finished)); });
  judge(result_);
}

/// Takes the end of one worker. If it failed, the others are asked to stop: their results would not
/// be used.
void Session::add(Finished finished) {
  if (finished.outcome == Outcome::failed && result_.outcome != Outcome::failed) {
    result_.outcome = Outcome::failed;
    result_.reason = finished.error; // later failures may be consequences of it
    stop_others(finished);
  }
  result_.finished.push_back(std::move(finished));
}

void Session::stop_others(const Finished& failed) {
  if (actors_.trainers.size() == 1)
    return;
  self_->send(
    actors_.logger,
    Say{Level::error, "training fails, and the other workers are stopped: " + failed.error});
  const auto reason = "worker " + std::to_string(failed.worker) + " failed";
  for (const auto& trainer : actors_.trainers)
    caf::anon_send(trainer, Stop{StopLevel::after_batch, reason, true});
}

SessionResult Session::conclude() {
  extensions_->drain();
  take_states();
  take_shared();
  take_best();
  if (result_.outcome != Outcome::failed && problem_->size(Section::test) > 0
      && result_.finished.front().main)
    test();
  close_control();
  self_.ask<Flushed>(actors_.logger, Flush{}, "the logger");
  return std::move(result_);
}

void Session::take_states() {
  for (const auto& trainer : actors_.trainers)
    result_.state.trainers.push_back(self_.ask<SavedTrainer>(trainer, Save{}, "a trainer"));
  result_.state.extensions = extensions_->states();
  if (control_)
    result_.state.extensions[saved_control]
      = self_
          .ask<SavedExtension>(caf::actor_cast<Extension>(control_), SaveExtension{},
                               "remote control", drain_deadline)
          .state;
  result_.state.log = log_;
  if (config_.trainer)
    result_.status = training_status_in(result_.state, *config_.trainer);
}

/// A worker of a cluster took the shared parameters when it left.
void Session::take_shared() {
  result_.parameters = result_.state.trainers.front().parameters;
  if (!actors_.holder || result_.outcome == Outcome::failed)
    return;
  result_.state.shared
    = self_.ask<SavedHolder>(actors_.holder, SaveHolder{}, "the parameter holder");
  if (holds_result(*result_.state.shared, layout_.size(), config_))
    result_.parameters = shared_parameters();
}

/// The best state by early stopping, unless `test_best` is off.
void Session::take_best() {
  const auto file = best_state_of(config_);
  std::error_code error;
  if (file.empty() || result_.outcome == Outcome::failed
      || !std::filesystem::exists(options_.folder / file, error))
    return;
  try {
    const auto best = load_run(options_.folder / file);
    if (!layout_.difference(best.trainers.front().layout).empty())
      return;
    result_.parameters.values = parameters_of(best, config_);
    result_.best = TestedState{file, best.trainers.front().position};
  } catch (const std::exception& e) {
    self_->send(actors_.logger, Say{Level::warning, "the result is about the last state, not about "
                                                    "the best: "
                                                      + std::string{e.what()}});
  }
}

void Session::test() {
  result_.test
    = self_.ask<Evaluated>(actors_.evaluator, Evaluate{result_.parameters, Section::test, 0},
                           "the evaluator", evaluation_deadline);
  const auto& position = result_.best ? result_.best->position : result_.finished.front().position;
  Write row;
  row.row = {result_.finished.front().worker, position.batches};
  row.epoch = position.epochs;
  row.seconds = position.seconds;
  put_metrics(row.records, "test", result_.test->metrics, result_.test->undefined);
  self_->send(actors_.logger, row);
}

Snapshot Session::shared_parameters() {
  const auto shared = self_.ask<Parameters>(actors_.holder, Pull{}, "the parameter holder");
  return {shared.version, parameters_in(shared.values, layout_.size())};
}

std::size_t threads_for(WorkerId workers) {
  return std::min<std::size_t>(workers, count_allowed_cores()) + 1;
}

SessionResult run_session(caf::actor_system& system, const RunConfig& config,
                          const SessionOptions& options, std::shared_ptr<const Problem> problem,
                          Interrupts& interrupts) {
  Session session{system, config, options, std::move(problem)};
  session.prepare();
  if (options.begins)
    options.begins();
  start_workers(system, session.ends(), session.actors(), options.first_worker);
  interrupts.register_trainers(session.stoppable(), session.actors().logger);
  session.wait_for_ends();
  const auto asked = interrupts.unregister_trainers(session.actors().logger);
  auto result = session.conclude();
  result.asked_to_end = asked;
  return result;
}

} // namespace troupe
