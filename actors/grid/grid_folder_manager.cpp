#include "actors/grid/grid_folder_manager.hpp"

#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>

namespace troupe {

namespace {

using FolderManagerActor = FolderManager::extend<caf::reacts_to<RescueAgain>>;

// Each attempt copies a run's whole folder, and a person may have to free space.
constexpr auto rescue_every = std::chrono::seconds{10};
constexpr auto rescue_patience = std::chrono::minutes{10};

template <class Move>
caf::result<FoldersMoved> after_move(const Move& move) {
  try {
    move();
    return FoldersMoved{};
  } catch (const std::exception& e) {
    return fail(Error::io, e.what());
  }
}

class FolderManagerState {
public:
  static constexpr const char* name = "folder manager";
  using Self = FolderManagerActor::stateful_pointer<FolderManagerState>;

  void begin(Self self, FolderManagerOptions options) {
    self_ = self;
    options_ = std::make_unique<FolderManagerOptions>(std::move(options));
  }

  const LeasedFolders& folders() const { return options_->folders; }

  caf::result<FoldersMoved> rescue(const RescueRun& lost) {
    const auto why = cannot_rescue(lost);
    if (!why)
      return FoldersMoved{};
    if (ending_)
      return FoldersMoved{*why};
    say("the files of " + lost.run + " are not back from a lost node: " + *why
        + " It is retried every " + print_duration(rescue_every) + " for "
        + print_duration(rescue_patience));
    auto promise = self_->make_response_promise<FoldersMoved>();
    if (waiting_.empty())
      self_->delayed_send(self_, rescue_every, RescueAgain{});
    waiting_.push_back({lost, *why, self_->clock().now() + rescue_patience, promise});
    return promise;
  }

  void rescue_again() {
    std::deque<Waiting> still;
    for (auto& one : std::exchange(waiting_, {}))
      if (const auto why = cannot_rescue(one.lost); !why) {
        say("the files of " + one.lost.run + " are back");
        one.moved.deliver(FoldersMoved{});
      } else if (self_->clock().now() < one.until) {
        one.why = *why;
        still.push_back(std::move(one));
      } else {
        one.moved.deliver(give_up(one.lost, *why));
      }
    waiting_ = std::move(still);
    if (!waiting_.empty())
      self_->delayed_send(self_, rescue_every, RescueAgain{});
  }

  void leave() {
    ending_ = true;
    for (auto& one : std::exchange(waiting_, {}))
      one.moved.deliver(FoldersMoved{one.why});
  }

private:
  struct Waiting {
    RescueRun lost;
    std::string why; ///< the error of the last attempt
    caf::actor_clock::time_point until;
    caf::typed_response_promise<FoldersMoved> moved;
  };

  /// @returns the error; nothing on success.
  std::optional<std::string> cannot_rescue(const RescueRun& lost) const {
    try {
      folders().rescue(lost.run, lost.node);
      return {};
    } catch (const std::exception& e) {
      return e.what();
    }
  }

  caf::error give_up(const RescueRun& lost, const std::string& why) const {
    const auto tried = why + " It was retried for " + print_duration(rescue_patience);
    try {
      return fail(Error::io,
                  tried + "; its files so far are in " + folders().set_aside(lost.run, lost.node));
    } catch (const std::exception& e) {
      return fail(Error::io, tried + ", and " + e.what());
    }
  }

  void say(const std::string& line) const {
    if (options_->notify)
      options_->notify(line);
  }

  Self self_{};
  std::unique_ptr<FolderManagerOptions> options_;
  std::deque<Waiting> waiting_;
  bool ending_ = false;
};

FolderManagerActor::behavior_type
folder_manager(FolderManagerState::Self self, const std::shared_ptr<FolderManagerOptions>& given) {
  auto& state = self->state;
  state.begin(self, std::move(*given));
  return {
    [&state](const OpenFolder& open) {
      return after_move([&] { state.folders().open(open.node); });
    },
    [&state](const LeaseRun& lease) {
      return after_move([&] { state.folders().lease(lease.run, lease.node); });
    },
    [&state](const ReturnRun& home) {
      return after_move([&] { state.folders().return_run(home.run, home.node); });
    },
    [&state](const RescueRun& lost) { return state.rescue(lost); },
    [&state](const CancelRescues&) { state.leave(); },
    [&state](const RescueAgain&) { state.rescue_again(); },
  };
}

} // namespace

FolderManager spawn_folder_manager(caf::actor_system& system, FolderManagerOptions options) {
  return system.spawn<caf::detached>(folder_manager,
                                     std::make_shared<FolderManagerOptions>(std::move(options)));
}

FolderManager spawn_scheduled_folder_manager(caf::actor_system& system,
                                             FolderManagerOptions options) {
  return system.spawn(folder_manager, std::make_shared<FolderManagerOptions>(std::move(options)));
}

} // namespace troupe
