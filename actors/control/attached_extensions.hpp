#pragma once

#include "actors/control/control_options.hpp"

#include <set>
#include <string>
#include <vector>

namespace troupe {

/// The extensions of a run, as far as they come and go: those of the configuration and those that
/// remote control has attached.
class AttachedExtensions {
public:
  AttachedExtensions() = default;
  AttachedExtensions(std::vector<AttachedExtension> attached, std::set<std::string> detached)
    : attached_(std::move(attached)),
      detached_(std::move(detached)) {}

  const std::vector<AttachedExtension>& all() const { return attached_; }
  /// Of all trainers that have it. @throws std::invalid_argument if none has, or if it has to
  /// stay.
  std::vector<AttachedExtension> to_detach(const std::string& name) const;
  /// @param type as it is attached, for the sentence
  /// @throws std::invalid_argument for a name that is taken.
  void check_new(const std::string& name, const std::string& type) const;

  void add(const AttachedExtension& extension) { attached_.push_back(extension); }
  void remove(const AttachedExtension& extension);
  /// Its actor has ended by itself: its name is free again.
  void ended(const caf::actor_addr& actor);

  /// What a checkpoint keeps of it, but for the states of the extensions: see saved_control.
  SavedFields saved() const;

private:
  std::vector<AttachedExtension> attached_;
  std::set<std::string> detached_; ///< of the configuration's
};

} // namespace troupe
