#include "actors/control/control.hpp"

#include "actors/control/control_breakpoints.hpp"
#include "actors/control/control_commands.hpp"
#include "actors/control/control_plans.hpp"
#include "actors/control/control_text.hpp"
#include "base/same_secret.hpp"
#include "messages/control/log_followers.hpp"
#include "messages/control/recent_rows.hpp"
#include "messages/control/refused_requests.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr auto poll_control_every = std::chrono::milliseconds{20};
constexpr std::chrono::seconds extension_deadline{600};        // to drain
constexpr std::chrono::seconds extension_state_deadline{3600}; // to be saved

class ControlState {
public:
  static constexpr const char* name = "control";
  using Self = ControlActor::stateful_pointer<ControlState>;

  ~ControlState() {
    for (const auto& extension : attached_.all())
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
    plans_.abandon_all();
  }

  void begin(Self self, ControlOptions options) {
    self_ = self;
    options_ = std::move(options);
    self_->set_down_handler([this](const caf::down_msg& down) {
      followers_.ended(down.source);
      attached_.ended(down.source);
    });
    attached_ = AttachedExtensions{std::move(options_.attached), options_.detached};
    for (const auto& extension : attached_.all())
      self_->monitor(extension.actor);
    rows_ = RecentRows{options_.records};
    const ControlLog log{self, options_.logger};
    breakpoints_.begin(self, options_, attached_, log);
    commands_.begin(
      self, options_, attached_, breakpoints_, log,
      [this](const ControlJobPtr& job) { plans_.plan(job); }, [this] { poll_later(); });
    plans_.begin(self, options_, log, [this](const ControlJobPtr& job) { commands_.perform(job); });
    self_->send(options_.logger, Follow{caf::actor_cast<Follower>(self_)});
  }

  caf::typed_response_promise<ControlAnswer> request(const ControlRequest& request);
  LogTail tail(const TailLog& tail);
  caf::typed_response_promise<GateAnswer> gate(const LoopEvent& event) {
    return ControlBreakpoints::is_asked(event) ? breakpoints_.gate(event) : plans_.gate(event);
  }
  void written(const Row& row) {
    rows_.add(row);
    breakpoints_.written(row);
  }
  caf::typed_response_promise<Drained> drain();
  caf::typed_response_promise<SavedExtension> save_attached();
  void poll();

private:
  bool knows(const std::string& token); ///< says so if it is wrong
  void poll_later();
  void await_followers(caf::typed_response_promise<Drained> promise);

  Self self_ = nullptr;
  ControlOptions options_;
  AttachedExtensions attached_;
  ControlBreakpoints breakpoints_;
  ControlCommands commands_;
  ControlPlans plans_;
  RefusedRequests refused_;
  RecentRows rows_;
  LogFollowers followers_;
  bool polling_ = false;   ///< a message to itself is on its way
  bool log_ended_ = false; ///< the run is over, and all of its log has come
  caf::typed_response_promise<Drained> drained_;
};

bool ControlState::knows(const std::string& token) {
  if (same_secret(token, options_.token))
    return true;
  if (const auto so_far = refused_.add(seconds_now(self_))) {
    self_->send(options_.logger,
                Say{Level::warning, "control refuses a request without this run's token ("
                                      + std::to_string(*so_far) + " so far)"});
    self_->send(options_.logger,
                WriteStatus{0, {{"control_refused", Value{static_cast<std::int64_t>(*so_far)}}}});
  }
  return false;
}

caf::typed_response_promise<ControlAnswer> ControlState::request(const ControlRequest& request) {
  auto promise = self_->make_response_promise<ControlAnswer>();
  if (!knows(request.token)) {
    promise.deliver(ControlAnswer{{"refused"}, false});
    return promise;
  }
  ControlJobPtr job;
  try {
    const auto command = parse_control_command(request.verb, request.arguments);
    if (plans_.is_closed() && command.verb != Verb::ping && command.verb != Verb::status)
      throw std::invalid_argument("training has ended; there is nothing left to control");
    job = std::make_shared<ControlJob>(control_job(command, options_, attached_));
  } catch (const std::exception& e) {
    promise.deliver(ControlAnswer{{e.what()}, false});
    return promise;
  }
  job->by = shown_client(request.by);
  job->answer = [promise](const ControlAnswer& answer) mutable { promise.deliver(answer); };
  if (job->command.at)
    plans_.plan(job);
  else
    commands_.perform(job);
  return promise;
}

LogTail ControlState::tail(const TailLog& tail) {
  LogTail answer;
  if (!knows(tail.token))
    return answer;
  const auto excerpt = rows_.read(tail.from, tail.rows);
  answer.ok = true;
  answer.missed = excerpt.missed;
  answer.next = excerpt.next;
  for (const auto* row : excerpt.rows)
    answer.lines.push_back(row_json(*row));
  answer.ended = log_ended_ && excerpt.at_end;
  if (const auto& sender = self_->current_sender()) {
    const LogFollowers::Follower follower{caf::actor_cast<caf::actor_addr>(sender), tail.follower};
    if (answer.ended)
      followers_.saw_end(follower);
    else if (followers_.asked(follower, seconds_now(self_)))
      self_->monitor(follower.first);
  }
  return answer;
}

caf::typed_response_promise<SavedExtension> ControlState::save_attached() {
  auto promise = self_->make_response_promise<SavedExtension>();
  const auto answer = std::make_shared<SavedExtension>();
  answer->state = attached_.saved();
  const auto left = std::make_shared<std::size_t>(1);
  auto done = [promise, answer, left]() mutable {
    if (--*left == 0)
      promise.deliver(std::move(*answer));
  };
  for (const auto& extension : attached_.all()) {
    if (extension.definition.empty())
      continue;
    ++*left;
    const auto taken = [answer, done, from = "state." + extension.saved_as() + "."](
                         const SavedExtension& saved) mutable {
      for (const auto& [name, value] : saved.state)
        answer->state[from + name] = value;
      done();
    };
    request_within(self_, extension.actor, extension_state_deadline, SaveExtension{})
      .then(taken, [done](const caf::error&) mutable { done(); });
  }
  done();
  return promise;
}

// -- time and the end of the run -----------------------------------------------------------------

void ControlState::poll_later() {
  if (!std::exchange(polling_, true))
    self_->delayed_send(self_, poll_control_every, CheckControl{});
}

void ControlState::poll() {
  polling_ = false;
  commands_.poll();
  if (!drained_.pending())
    return;
  if (followers_.any_left(seconds_now(self_)))
    return poll_later();
  drained_.deliver(Drained{});
  drained_ = {};
}

caf::typed_response_promise<Drained> ControlState::drain() {
  auto promise = self_->make_response_promise<Drained>();
  plans_.close();
  const auto left = std::make_shared<std::size_t>(attached_.all().size() + 1);
  const auto done = [this, promise, left] {
    if (--*left == 0)
      await_followers(promise);
  };
  for (const auto& extension : attached_.all())
    request_within(self_, extension.actor, extension_deadline, Drain{})
      .then([done](const Drained&) { done(); }, [done](const caf::error&) { done(); });
  done();
  return promise;
}

/// The log's last rows come before the answer to Flush; then its followers may see its end.
void ControlState::await_followers(caf::typed_response_promise<Drained> promise) {
  const auto go_on = [this, promise] {
    log_ended_ = true;
    drained_ = promise;
    poll();
  };
  request_within(self_, options_.logger, std::chrono::seconds{30}, Flush{})
    .then([go_on](const Flushed&) { go_on(); }, [go_on](const caf::error&) { go_on(); });
}

ControlActor::behavior_type control_behavior(ControlState::Self self, ControlOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  return {
    [&state](const ControlRequest& request) { return state.request(request); },
    [&state](const TailLog& tail) { return state.tail(tail); },
    [&state](const Drain&) { return state.drain(); },
    [&state](const AskGate& ask) { return state.gate(ask.event); },
    [&state](const SaveExtension&) { return state.save_attached(); },
    [&state](const Written& written) { state.written(written.row); },
    [&state](const CheckControl&) { state.poll(); },
  };
}

} // namespace

RunControl spawn_control(caf::actor_system& system, ControlOptions options) {
  if (options.token.empty())
    throw std::invalid_argument(
      "remote control needs a token, otherwise anyone could control the run");
  if (options.trainers.empty())
    throw std::invalid_argument("remote control needs a trainer");
  return system.spawn(control_behavior, std::move(options));
}

} // namespace troupe
