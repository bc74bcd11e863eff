#include "apps/session/session_extensions.hpp"

#include "apps/config/overrides.hpp"
#include "apps/session/remote_paths.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/row_deadline.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds work_deadline{
  static_cast<int>(row_deadline)}; // for an extension that may still measure
constexpr auto silent_for = 2s;    // before a line says what it waits for

/// The type and options of an extension that remote control attached, as one text.
std::string definition_of(const std::string& type, const std::vector<std::string>& options) {
  auto definition = type;
  for (const auto& option : options)
    definition += "\n" + option;
  return definition;
}

} // namespace

SessionExtensions::SessionExtensions(ExtensionContext context, const SavedRun* resume)
  : context_(std::move(context)),
    self_(context_.system),
    resume_(resume) {}

SessionExtensions::~SessionExtensions() {
  for (const auto& extension : attached_)
    caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
}

void SessionExtensions::warn(const std::string& text) {
  self_->send(context_.logger, Say{Level::warning, text});
}

void SessionExtensions::attach(std::vector<ConfiguredExtension> extensions) {
  add_companions(extensions);
  leave_out_detached(extensions);
  if (!context_.holders.empty()
      && std::none_of(extensions.begin(), extensions.end(),
                      [](const auto& extension) { return shares_parameters(extension.type); }))
    warn("no extension shares the parameters of the workers: each trains alone, and the result is "
         "the main worker's; give them "
         + joined(sharing_extension_names(), " or "));
  attached_.reserve(extensions.size()); // a simulation has thousands of these
  for (auto number : configured_order(extensions))
    attach(extensions[number]);
  attach_again();
  for (const auto& checkpoint : checkpoints_)
    self_->send(checkpoint, participants());
}

/// What remote control remembered in the run that goes on, under names that begin so.
SavedFields SessionExtensions::control_remembers(const std::string& prefix) const {
  if (resume_ == nullptr)
    return {};
  const auto saved = resume_->extensions.find(saved_control);
  return saved == resume_->extensions.end() ? SavedFields{} : part_of(saved->second, prefix);
}

/// Leaves out extensions that remote control had detached from the resumed run.
void SessionExtensions::leave_out_detached(std::vector<ConfiguredExtension>& extensions) {
  for (const auto& [name, unused] : control_remembers("detached."))
    if (std::erase_if(extensions, [&, &name = name](const auto& e) { return e.name == name; })
        > 0) {
      detached_.insert(name);
      self_->send(
        context_.logger,
        Say{Level::info, "extension '" + name + "' stays detached, as remote control left it"});
    }
}

/// Attaches extensions that remote control had attached to the resumed run, after all others.
void SessionExtensions::attach_again() {
  for (const auto& [name, definition] : control_remembers("attached.")) {
    auto options = split_at('\n', to_string(definition));
    try {
      if (options.front().empty() || is_taken(name))
        throw ConfigError("the configuration has one of this name");
      const auto type = options.front();
      options.erase(options.begin());
      for (auto& spawned : spawn_from_options(type, name, options))
        subscribe(std::move(spawned));
    } catch (const ConfigError& e) {
      warn("extension '" + name
           + "', which remote control had attached, is not attached again: " + e.what());
    }
  }
}

bool SessionExtensions::is_taken(const std::string& name) const {
  return std::any_of(attached_.begin(), attached_.end(),
                     [&](const auto& other) { return other.name == name; });
}

bool SessionExtensions::steered_before() const {
  return !detached_.empty()
         || std::any_of(attached_.begin(), attached_.end(),
                        [](const auto& extension) { return !extension.definition.empty(); });
}

void SessionExtensions::attach(const ConfiguredExtension& extension) {
  if (shares_parameters(extension.type) && context_.holders.empty()) {
    warn("extension '" + extension.name + "' has no other worker to share parameters with");
    return;
  }
  for (const auto& warning :
       hook_answer(extension, &RunHooks<>::warnings, context_).value_or(Sentences{}))
    warn("extension '" + extension.name + "' " + warning);
  for (auto& spawned : spawn(extension)) {
    if (has_hook(extension.type, &RunHooks<>::saves_run))
      checkpoints_.push_back(caf::actor_cast<Checkpoint>(spawned.actor));
    subscribe(std::move(spawned));
  }
  if (resume_ != nullptr)
    for (const auto& sentence :
         lost_conditions(extension.conditions, resume_->trainers.front().position))
      warn("extension '" + extension.name + "': " + sentence);
}

void SessionExtensions::subscribe(AttachedExtension spawned) {
  const auto& trainer = context_.trainers[spawned.trainer];
  const auto request_text = "subscribing extension '" + spawned.name + "': the trainer of worker "
                            + std::to_string(spawned.trainer);
  spawned.id = (spawned.gate ? self_.ask<Subscribed>(trainer, spawned.subscribe_gate, request_text)
                             : self_.ask<Subscribed>(trainer, spawned.subscribe, request_text))
                 .id;
  spawned.subscribe = {}; // the trainer has them
  spawned.subscribe_gate = {};
  restore(spawned);
  attached_.push_back(std::move(spawned));
}

/// Restores an extension's state from the saved run: as saved by a checkpoint, or else as saved by
/// remote control.
void SessionExtensions::restore(const AttachedExtension& spawned) {
  if (resume_ == nullptr)
    return;
  SavedFields state;
  const auto own = resume_->extensions.find(spawned.saved_as());
  if (own != resume_->extensions.end())
    state = own->second;
  else if (!spawned.definition.empty())
    state = control_remembers("state." + spawned.saved_as() + ".");
  if (!state.empty())
    self_.ask<Restored>(spawned.actor, RestoreExtension{std::move(state)},
                        "restoring extension '" + spawned.name + "': it");
}

AddParticipants SessionExtensions::participants() const {
  AddParticipants these;
  for (const auto& extension : attached_)
    these.extensions.push_back({extension.saved_as(), extension.actor});
  return these;
}

std::vector<AttachedExtension> SessionExtensions::spawn(const ConfiguredExtension& extension,
                                                        bool in_flight) const {
  // A checkpoint saves all workers of its process.
  const auto each
    = extension.participation.workers == "all" && !has_hook(extension.type, &RunHooks<>::saves_run);
  const auto workers = each ? context_.trainers.size() : 1;
  std::vector<AttachedExtension> all;
  for (std::size_t worker = 0; worker < workers; ++worker)
    try {
      auto context = context_;
      context.worker = static_cast<WorkerId>(worker);
      context.in_flight = in_flight;
      const auto spawned = spawn_extension(extension, context);
      all.push_back({.name = spawned.name,
                     .trainer = worker,
                     .actor = spawned.actor,
                     .gate = spawned.gate,
                     .subscribe = spawned.subscribe,
                     .subscribe_gate = spawned.subscribe_gate,
                     .shares = shares_parameters(extension.type)});
    } catch (const std::invalid_argument& e) {
      throw ConfigError("extensions." + extension.name + ": " + e.what());
    }
  return all;
}

std::vector<AttachedExtension>
SessionExtensions::spawn_from_options(const std::string& type, const std::string& name,
                                      const std::vector<std::string>& options,
                                      bool in_flight) const {
  auto section = config::Node::map("remote control");
  section.put("type", config::Node::scalar(type, "remote control", true));
  for (const auto& option : options)
    config::apply(section, config::parse_override("++" + option));
  section.set_source_everywhere("remote control");
  ConfiguredExtension extension;
  if (const auto errors = read_extension(name, section, extension); !errors.empty())
    throw ConfigError(errors);
  check_remote_paths(extension, context_.folder);
  if (shares_parameters(extension.type))
    throw ConfigError("'" + extension.type
                      + "' shares parameters from the start or not at all; it cannot be attached "
                        "to a running training");
  auto spawned = spawn(extension, in_flight);
  for (auto& each : spawned)
    each.definition = definition_of(type, options);
  return spawned;
}

void SessionExtensions::drain() {
  for (const auto& extension : attached_) {
    auto done = false;
    self_->request(extension.actor, silent_for, Drain{})
      .receive([&](const Drained&) { done = true; },
               [&](const caf::error& error) { // remote control may have ended it
                 done = error == caf::sec::request_receiver_down;
               });
    if (done)
      continue;
    self_->send(context_.logger, Say{Level::info, "waiting for extension '" + extension.name
                                                    + "' to finish its work"});
    self_->request(extension.actor, work_deadline, Drain{})
      .receive([](const Drained&) {},
               [&](const caf::error& error) {
                 warn("extension '" + extension.name
                      + "' did not finish its work: " + sentence(error));
               });
  }
}

std::map<std::string, SavedFields> SessionExtensions::states() {
  std::map<std::string, SavedFields> states;
  for (const auto& extension : attached_)
    self_->request(extension.actor, work_deadline, SaveExtension{})
      .receive(
        [&](SavedExtension& saved) {
          if (!saved.state.empty())
            states[extension.saved_as()] = std::move(saved.state);
        },
        [&](const caf::error& error) {
          if (error != caf::sec::request_receiver_down) // an ended extension will not exist after a
                                                        // resume
            warn("the state of extension '" + extension.name
                 + "' is not saved, so a resumed run continues without it: " + sentence(error));
        });
  return states;
}

} // namespace troupe
