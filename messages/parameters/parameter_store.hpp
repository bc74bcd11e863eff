#pragma once

#include "messages/parameters/membership.hpp"
#include "messages/parameters/pace.hpp"
#include "messages/parameters/push_journal.hpp"
#include "messages/parameters/shared_parameters.hpp"

#include <caf/expected.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace troupe {

struct ParameterStoreOptions {
  std::string cluster; ///< who joins has to know it; "": nobody is asked
  /// Over all workers; 0: no limit. Rounds are completed no sooner, everybody else is answered with
  /// not_before.
  double pushes_per_second = 0;
  FIELDS(cluster, pushes_per_second);
};

/// An answer to a push that had to wait.
struct Settled {
  PushId id;
  Parameters parameters;
};

/// What came of a push at once; where neither, its answer waits for other workers.
struct Pushed {
  caf::error refusal = {};
  std::optional<Parameters> answer = {};
  bool waits() const { return !refusal && !answer; }
};

/// The shared parameters and everything that is decided about them: who may push, what a push does,
/// which version comes out, who waits for whom. The parameter holder carries its answers. Times are
/// seconds of one monotonic clock; where nobody has a lease they do not matter.
class ParameterStore {
public:
  explicit ParameterStore(ParameterStoreOptions options = {});

  // -- members -------------------------------------------------------------------------------

  /// Admits a worker. The first one's layout is everybody's.
  /// @returns Error::shape_mismatch naming the first difference, Error::invalid_options for an
  /// unsound layout, another cluster, protocol version or number of workers, Error::superseded for
  /// a process that another one has replaced.
  caf::expected<Joined> join(const Join& join, double now = 0);
  caf::expected<Renewed> renew(const Renew& renew, double now = 0);
  /// @param incarnation that leaves; 0: whichever is there, or one that never came. An older one
  /// has left already.
  void leave(WorkerId worker, std::uint64_t incarnation = 0);
  /// Takes those for lost whose leases have ended. @returns them.
  std::vector<WorkerId> expire(double now = 0);
  bool joined(WorkerId worker) const { return members_.joined(worker); }
  double next_end(double now) const { return members_.next_end(now); }
  void stop_all(const StopAll& stop) { stop_ = stop; }
  /// Rounds wait for so many workers to join for the first time.
  void expect(std::size_t workers) { expected_ = std::max(expected_, workers); }
  /// Rounds wait no longer for workers that were announced by others but have never joined.
  void waive_absent() { waived_ = std::max(waived_, std::exchange(expected_, 0)); }
  bool waits_for_absent() const;
  /// Workers that others announced and that have not joined yet.
  std::size_t absent() const;
  /// While some have still to come for the first time, worker 0, which may be among them.
  WorkerId main() const { return absent() > 0 ? 0 : members_.main(); }

  // -- parameters ----------------------------------------------------------------------------

  /// Stores the values where there are none yet.
  /// @returns the settled ones: of the first creator, or what they have become since.
  caf::expected<Parameters> create_if_absent(const CreateIfAbsent& create);
  /// Whether somebody else's values are to come first.
  bool waits_for_main(const CreateIfAbsent& create) const {
    return create.main_first && !shared_.created() && members_.joined(create.worker)
           && create.worker != main();
  }
  caf::expected<Parameters> pull() const;
  bool newer_than(Version version) const {
    return shared_.created() && shared_.version() > version;
  }

  /// Applies the rule, once for each number. It is answered with the values after it; where it
  /// waits, settle() gives them. A repeated number is not applied again and gets the newest values.
  /// Refused are, with Error::stale, a push of an earlier incarnation or before the last one, with
  /// Error::shape_mismatch another size, and with Error::invalid_options a rule that cannot be; the
  /// values are then as they were.
  Pushed exchange(Push push, double now = 0);
  /// What the worker's last push that was applied came to.
  Applied last_applied(WorkerId worker) const { return journal_.last_reply(worker); }
  /// Completes what can be completed. @returns the answers that had to wait.
  std::vector<Settled> settle(double now = 0);
  /// Seconds until a round for which everybody has pushed may be completed, under
  /// pushes_per_second; infinite where there is none that waits for this.
  double next_round(double now) const;

  caf::expected<Part> pull_part(const Selection& selection) const {
    return shared_.part(selection);
  }
  /// Changes the selected elements of one parameter only.
  caf::expected<Applied> push_part(const PushPart& push, double now = 0);

  /// Whom those wait for who are too far ahead.
  std::vector<WorkerId> too_slow() const { return pace_.too_slow(members_.training()); }

  HolderStatus status() const;
  SavedHolder save() const;
  /// @returns Error::already_running once a worker has joined, Error::shape_mismatch for a state
  /// that contradicts itself.
  caf::error restore(const SavedHolder& saved);

private:
  caf::error check(const PushId& id) const;
  void use_up(std::size_t pushes, double now); ///< of what pushes_per_second allows
  double rest(double now) const; ///< seconds before a worker that has pushed may push again
  Parameters answer(const PushId& id, Block values, double not_before) const;
  Parameters apply_alone(Push push, double now);
  bool round_complete() const;
  void complete_round(std::vector<Settled>& settled, double now);

  ParameterStoreOptions options_;
  SharedParameters shared_;
  PushJournal journal_;
  Membership members_;
  Pace pace_;
  std::size_t expected_ = 0;      ///< workers, as those who joined say
  std::size_t waived_ = 0;        ///< of so many, some were given up
  std::set<WorkerId> stays_away_; ///< who has left before it came, and is expected no longer
  Version restored_ = 0;          ///< came with the state that was restored
  StopAll stop_;                  ///< without a reason: nobody wants it
  double free_from_ = 0;          ///< when the next push may come, under pushes_per_second
};

} // namespace troupe
