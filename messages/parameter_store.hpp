#pragma once

#include "troupe/messages/parameters.hpp"

#include <caf/expected.hpp>

#include <map>

namespace troupe {

/// The shared parameters and everything that is decided about them: who may push, what a push does,
/// which version comes out. The parameter holder carries its answers.
class ParameterStore {
public:
  /// Admits a worker. The first one's layout is everybody's.
  /// @returns Error::shape_mismatch naming the first difference, Error::invalid_options for an
  /// unsound layout or another
  ///          protocol version.
  caf::expected<Joined> join(const Join& join);
  void leave(WorkerId worker);

  /// Stores the values where there are none yet.
  /// @returns the settled ones: of the first creator, or what they have become since.
  caf::expected<Parameters> create_if_absent(const CreateIfAbsent& create);
  caf::expected<Parameters> pull() const;

  /// S <- alpha S + beta W, once for each number.
  /// @returns Error::stale for a push of an earlier incarnation or before the last one,
  /// Error::shape_mismatch,
  ///          Error::invalid_options for weights that are not finite; the values are then as they
  ///          were.
  caf::expected<Applied> push(const Push& push);
  /// The same, and the values after it. A repeated number is not applied again and gets the newest
  /// values.
  caf::expected<Parameters> exchange(const Push& push);

  caf::expected<Part> pull_part(const Selection& selection) const;
  /// Changes the selected elements of one parameter only.
  caf::expected<Applied> push_part(const PushPart& push);

  HolderStatus status() const;

private:
  struct Worker {
    std::uint64_t incarnation = 0;
    std::uint64_t last_number = 0;
    Applied last_reply;
    bool joined = false;
  };

  caf::error check(const PushId& id, const Weights& weights) const;
  /// The reply of a push that was applied before, or nullptr.
  const Applied* repeated(const PushId& id) const;
  Applied settle(const PushId& id, Version based_on);
  /// @returns offsets into the block, in the order of the selection, and their shape.
  caf::expected<std::pair<std::vector<Index>, Shape>> locate(const Selection& selection) const;

  Layout layout_;
  Block values_;
  Version version_ = 0;
  std::uint64_t pushes_ = 0;
  std::vector<Version> versions_; ///< of each parameter
  std::map<WorkerId, Worker> workers_;
};

} // namespace troupe
