#include "actors/control/control.hpp"

#include "actors/control/control_state.hpp"
#include "actors/control/control_text.hpp"
#include "base/same_secret.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr auto check_interval = std::chrono::milliseconds{20};
constexpr double follower_patience = 1; // seconds without a request until a follower counts as gone
constexpr std::uint64_t rows_at_once = 500;

} // namespace

ControlState::~ControlState() {
  for (const auto& extension : attached_)
    caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
  for (const auto& [number, plan] : plans_)
    for (const auto& extension : plan.job->extensions)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
}

void ControlState::begin(Self self, ControlOptions options) {
  self_ = self;
  options_ = std::move(options);
  self_->set_down_handler([this](const caf::down_msg& down) {
    std::erase_if(followers_, [&](const auto& one) { return one.first.first == down.source; });
  });
  attached_ = std::move(options_.attached);
  detached_ = options_.detached;
  self_->send(options_.logger, Follow{caf::actor_cast<Follower>(self_)});
}

double ControlState::now() const { return seconds_now(self_); }

void ControlState::tick() {
  if (!std::exchange(ticking_, true))
    self_->delayed_send(self_, check_interval, CheckControl{});
}

bool ControlState::knows(const std::string& token) {
  if (same_secret(token, options_.token))
    return true;
  ++refused_requests_;
  if (now() - reported_at_ >= 1) { // at most one line a second, however many requests fail
    reported_at_ = now();
    self_->send(options_.logger,
                Say{Level::warning, "control refuses a request without this run's token ("
                                      + std::to_string(refused_requests_) + " so far)"});
    self_->send(
      options_.logger,
      WriteStatus{0, {{"control_refused", Value{static_cast<std::int64_t>(refused_requests_)}}}});
  }
  return false;
}

caf::typed_response_promise<ControlAnswer> ControlState::request(const ControlRequest& request) {
  auto promise = self_->make_response_promise<ControlAnswer>();
  if (!knows(request.token)) {
    promise.deliver(ControlAnswer{{"refused"}, false});
    return promise;
  }
  const auto job = std::make_shared<ControlJob>();
  job->finish = [promise](const ControlAnswer& answer) mutable { promise.deliver(answer); };
  try {
    job->command = parse_control_command(request.verb, request.arguments);
    if (closing_ && job->command.verb != Verb::ping && job->command.verb != Verb::status)
      throw std::invalid_argument("training has ended; there is nothing left to control");
    prepare(*job);
  } catch (const std::exception& e) {
    promise.deliver(ControlAnswer{{e.what()}, false});
    return promise;
  }
  if (job->command.at)
    plan(job);
  else
    perform(job);
  return promise;
}

// -- the log --------------------------------------------------------------------------------------

void ControlState::written(const Row& row) {
  rows_.push_back(row);
  records_ += row.records.size();
  while (records_ > options_.records && rows_.size() > 1) {
    records_ -= rows_.front().records.size();
    rows_.pop_front();
    ++first_row_;
  }
}

LogTail ControlState::tail(const TailLog& tail) {
  LogTail answer;
  if (!knows(tail.token))
    return answer;
  answer.ok = true;
  const auto end = first_row_ + rows_.size();
  auto from = tail.from == 0 ? end - std::min<std::uint64_t>(tail.rows, rows_.size())
                             : std::min(tail.from, end);
  if (from < first_row_)
    answer.missed = first_row_ - std::exchange(from, first_row_);
  answer.next = std::min(end, from + rows_at_once);
  for (auto number = from; number < answer.next; ++number)
    answer.lines.push_back(row_json(rows_[number - first_row_]));
  answer.ended = ended_ && answer.next == end;
  if (const auto& sender = self_->current_sender()) {
    const std::pair who{caf::actor_cast<caf::actor_addr>(sender), tail.follower};
    if (answer.ended)
      followers_.erase(who);
    else if (followers_.insert_or_assign(who, now()).second)
      self_->monitor(who.first);
  }
  return answer;
}

void ControlState::check() {
  ticking_ = false;
  for (const auto& waiting : std::exchange(waiting_, {}))
    await_pause(waiting.job, waiting.until);
  if (!drained_)
    return;
  std::erase_if(followers_,
                [&](const auto& follower) { return now() - follower.second > follower_patience; });
  if (followers_.empty())
    std::exchange(drained_, std::nullopt)->deliver(Drained{});
  else
    tick();
}

namespace {

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
    [&state](const CheckControl&) { state.check(); },
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
