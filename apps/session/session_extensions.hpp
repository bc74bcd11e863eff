// The extensions of a run: spawned, put in order, subscribed, restored, and in the end drained.
#pragma once

#include "actors/cast.hpp"
#include "actors/control/control.hpp"
#include "apps/catalog/extension_catalog.hpp"
#include "apps/process/caller.hpp"
#include "messages/checkpoint/checkpoint.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

class SessionExtensions {
public:
  /// @param context of the run; its worker is not used
  /// @param resume what the run goes on from; null for a new one. It must live as long.
  SessionExtensions(ExtensionContext context, const SavedRun* resume);
  /// Sends them home.
  ~SessionExtensions();
  SessionExtensions(const SessionExtensions&) = delete;
  SessionExtensions& operator=(const SessionExtensions&) = delete;

  /// Subscribes them in the order of their needs, with the checkpoints that they bring along:
  /// early_stopping saves the best. @throws ConfigError
  void attach(std::vector<ConfiguredExtension> extensions);
  /// Those whose state belongs to the run.
  AddParticipants participants() const;
  const std::vector<AttachedExtension>& all() const { return attached_; }
  const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }
  /// Whether remote control had attached or detached some of the run that goes on.
  bool steered_before() const;

  /// Those of the configuration that remote control had detached from it.
  const std::set<std::string>& detached() const { return detached_; }

  /// One for each trainer that it concerns, not subscribed yet. Remote control calls it, too, from
  /// its actor: it changes nothing here.
  /// @param in_flight they are for a training that runs already
  std::vector<AttachedExtension> spawn(const ConfiguredExtension& extension,
                                       bool in_flight = false) const;
  /// The extension that "key=value" describe as a section of the configuration would.
  std::vector<AttachedExtension> spawn_from_words(const std::string& type, const std::string& name,
                                                  const std::vector<std::string>& words,
                                                  bool in_flight = false) const;

  /// Waits until they have ended what they have under way.
  void drain();
  /// What they remember now, by name.
  std::map<std::string, Records> states();

private:
  void attach(const ConfiguredExtension& extension);
  Records control_remembers(const std::string& prefix) const;
  void leave_out_detached(std::vector<ConfiguredExtension>& extensions);
  void attach_again();
  void subscribe(AttachedExtension spawned);
  void restore(const AttachedExtension& spawned);
  bool is_taken(const std::string& name) const;
  void warn(const std::string& text);

  ExtensionContext context_;
  Caller self_;
  const SavedRun* resume_;
  std::vector<AttachedExtension> attached_;
  std::set<std::string> detached_;
  std::vector<Checkpoint> checkpoints_;
};

} // namespace troupe
