#pragma once

#include "messages/parameters/applied_pushes.hpp"
#include "messages/parameters/membership.hpp"
#include "messages/parameters/pace.hpp"
#include "messages/parameters/shared_parameters.hpp"

#include <caf/expected.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace troupe {

/// Who may join a holder, and how often its parameters may change.
struct ParameterStoreOptions {
  std::string cluster; ///< the secret that joining workers must show; "": none
  /// Over all workers; 0: no limit. Rounds complete no sooner; all other pushes are answered with
  /// not_before.
  double pushes_per_second = 0;
  TROUPE_FIELDS(cluster, pushes_per_second);
};

/// An answer to a push that had to wait.
struct Settled {
  PushId id;             ///< the push that waited
  Parameters parameters; ///< after it
};

/// The immediate result of a push; with neither, its answer waits for other workers.
struct Pushed {
  caf::error refusal = {};               ///< why it was not applied; none: it was, or waits
  std::optional<Parameters> answer = {}; ///< the parameters after it
  /// Whether `settle` will return its answer.
  bool waits() const { return !refusal && !answer; }
};

/// The shared parameters and all decisions about them: which pushes are accepted, what they change,
/// which version results, which workers wait for which. The parameter holder sends its answers.
/// Times are seconds of one monotonic clock; without leases they do not matter.
class ParameterStore {
public:
  /// Without parameters and workers.
  explicit ParameterStore(ParameterStoreOptions options = {});

  // -- members -------------------------------------------------------------------------------

  /// Admits a worker. All workers must have the layout of the first.
  /// @returns Error::shape_mismatch naming the first difference, Error::invalid_options for an
  /// invalid layout, another cluster, protocol version or number of workers, Error::superseded for
  /// a process that another one has replaced.
  caf::expected<Joined> join(const Join& join, double now = 0);
  /// @returns Error::not_joined for a worker that was lost, has left or never joined, Error::stale
  /// for an earlier incarnation
  caf::expected<Renewed> renew(const Renew& renew, double now = 0);
  /// @param incarnation that leaves; 0: the current one, or one that never joined. An older one has
  /// left already.
  void leave(WorkerId worker, std::uint64_t incarnation = 0);
  /// Marks workers as lost whose leases have ended. @returns them.
  std::vector<WorkerId> expire(double now = 0);
  /// Whether the worker takes part: it has joined, is not lost and has not left.
  bool joined(WorkerId worker) const { return members_.joined(worker); }
  /// Seconds until the next lease ends; infinite if none can.
  double next_end(double now) const { return members_.next_end(now); }
  /// From now on each renewal is answered by this request to end.
  void stop_all(const StopAll& stop) { stop_ = stop; }
  /// Rounds wait for this many workers to join for the first time.
  void expect(std::size_t workers) { expected_ = std::max(expected_, workers); }
  /// Rounds no longer wait for workers that others announced but that never joined.
  void waive_absent() { waived_ = std::max(waived_, std::exchange(expected_, 0)); }
  /// Whether a round is open that announced workers have to join first.
  bool waits_for_absent() const;
  /// Workers that others announced and that have not joined yet.
  std::size_t absent() const;
  /// Worker 0 while expected workers are absent, since it may be among them.
  WorkerId main() const { return absent() > 0 ? 0 : members_.main(); }

  // -- parameters ----------------------------------------------------------------------------

  /// Stores the values if there are none yet.
  /// @returns the current values: those of the first creator, or what they have become since.
  caf::expected<Parameters> create_if_absent(const CreateIfAbsent& create);
  /// Whether the values of another worker have to come first.
  bool waits_for_main(const CreateIfAbsent& create) const {
    return create.main_first && !shared_.created() && members_.joined(create.worker)
           && create.worker != main();
  }
  /// @returns the newest parameters, or Error::not_created
  caf::expected<Parameters> pull() const;
  /// Whether Await can be answered.
  bool newer_than(Version version) const {
    return shared_.created() && shared_.version() > version;
  }

  /// Applies the rule, once for each number, and answers with the values after it; if the answer
  /// has to wait, settle() returns it. A repeated number is not applied again and gets the newest
  /// values. Refused are a push of an earlier incarnation or a number before the last one with
  /// Error::stale, another size with Error::shape_mismatch, and an invalid rule with
  /// Error::invalid_options; the values then stay as they were.
  Pushed exchange(Push push, double now = 0);
  /// The result of the worker's last applied push.
  Applied last_applied(WorkerId worker) const { return applied_.last_reply(worker); }
  /// Completes what can be completed. @returns the answers that had to wait.
  std::vector<Settled> settle(double now = 0);
  /// Seconds until a complete round may be applied under pushes_per_second; infinite if none waits
  /// for that.
  double next_round(double now) const;

  /// @returns Error::unknown_name or Error::shape_mismatch for elements that do not exist,
  /// Error::not_created while there are no parameters
  caf::expected<Part> pull_part(const Selection& selection) const {
    return shared_.part(selection);
  }
  /// Changes the selected elements of one parameter only.
  caf::expected<Applied> push_part(const PushPart& push, double now = 0);

  /// The workers that others, too far ahead, wait for.
  std::vector<WorkerId> too_slow() const { return pace_.too_slow(); }

  /// As GetHolderStatus is answered.
  HolderStatus status() const;
  /// The state, of which the values are shared and not copied.
  SavedHolder save() const;
  /// @returns Error::already_running once a worker has joined, Error::shape_mismatch for an
  /// inconsistent state.
  caf::error restore(const SavedHolder& saved);

private:
  caf::error check(const PushId& id) const;
  std::string shape_defect(const Push& push) const; ///< "" if it fits the parameters
  Block newest(const Fragment& fragment) const { return part_of(shared_.values(), fragment); }
  void spend_budget(std::size_t pushes, double now); ///< from the budget of pushes_per_second
  double rest(double now) const; ///< seconds before a worker that has pushed may push again
  Parameters answer(const PushId& id, Block values, double not_before) const;
  Parameters apply_alone(Push push, double now);
  bool round_complete() const;
  void complete_round(std::vector<Settled>& settled, double now);

  ParameterStoreOptions options_;
  SharedParameters shared_;
  AppliedPushes applied_;
  Membership members_;
  Pace pace_;
  std::map<WorkerId, Fragment> held_fragments_; ///< of the last pushes whose answers pace_ held
  std::size_t expected_ = 0;                    ///< number of workers, as joining workers announced
  std::size_t waived_ = 0;                      ///< how many were expected when some were given up
  std::set<WorkerId> left_before_joining_; ///< workers that left before they joined, and are no
                                           ///< longer expected
  Version restored_ = 0;                   ///< version of the restored state
  StopAll stop_;                           ///< without a reason: not requested
  double free_from_ = 0;                   ///< when the next push may come, under pushes_per_second
};

} // namespace troupe
