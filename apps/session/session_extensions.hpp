// The extensions of a run: spawned, put in order, subscribed, restored, and in the end drained.
#pragma once

#include "actors/control/control.hpp"
#include "actors/run_actors.hpp"
#include "apps/catalog/extension_catalog.hpp"
#include "messages/checkpoint/checkpoint.hpp"
#include "messages/requests/caller.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

class SessionExtensions {
public:
  /// @param context of the run; its worker is not used
  /// @param resume the run to resume; null for a new one. It must outlive this object.
  SessionExtensions(ExtensionContext context, const SavedRun* resume);
  /// Ends the extensions.
  ~SessionExtensions();
  SessionExtensions(const SessionExtensions&) = delete;
  SessionExtensions& operator=(const SessionExtensions&) = delete;

  /// Subscribes the extensions in the order of their needs, with their companions: early_stopping
  /// adds a checkpoint of the best state. @throws ConfigError
  void attach(std::vector<ConfiguredExtension> extensions);
  /// The extensions whose state belongs to the run.
  AddParticipants participants() const;
  const std::vector<AttachedExtension>& all() const { return attached_; }
  const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }
  /// Whether remote control had attached or detached extensions of the resumed run.
  bool steered_before() const;

  /// Configured extensions that remote control had detached.
  const std::set<std::string>& detached() const { return detached_; }

  /// Spawns one for each trainer concerned, not subscribed yet. Remote control also calls it from
  /// its actor: it changes no state here.
  /// @param in_flight training already runs
  std::vector<AttachedExtension> spawn(const ConfiguredExtension& extension,
                                       bool in_flight = false) const;
  /// Spawns the extension described by "key=value" options, as in a section of the configuration.
  std::vector<AttachedExtension> spawn_from_options(const std::string& type,
                                                    const std::string& name,
                                                    const std::vector<std::string>& options,
                                                    bool in_flight = false) const;

  /// Waits until they have finished their work.
  void drain();
  /// Their current states, by name.
  std::map<std::string, SavedFields> states();

private:
  void attach(const ConfiguredExtension& extension);
  SavedFields control_remembers(const std::string& prefix) const;
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
