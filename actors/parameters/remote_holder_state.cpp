#include "actors/parameters/remote_holder_state.hpp"

#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"

#include <algorithm>
#include <chrono>

namespace troupe {

namespace {

constexpr auto look_at_shards_every = std::chrono::milliseconds{100};
constexpr unsigned silence_allowed = 2; // renewals without an answer before a way counts as lost
constexpr double join_patience = 2;     // seconds before people are told for whom a worker waits

bool ours(const caf::error& error) { return error.category() == caf::atom("troupe"); }

} // namespace

void RemoteHolderState::begin(Self self, Connector connector, RemoteHolderOptions options) {
  self_ = self;
  connector_ = std::move(connector);
  options_ = std::move(options);
  shards_.resize(std::max<std::size_t>(1, options_.shards));
}

double RemoteHolderState::now() const { return seconds_now(self_); }

void RemoteHolderState::say(Level level, const std::string& text) {
  if (options_.logger)
    self_->send(options_.logger, Say{level, (options_.is_reader ? "reader " : "worker ")
                                              + std::to_string(options_.worker) + ": " + text});
}

std::string RemoteHolderState::shard_name(std::size_t shard) const {
  auto text = std::string{"the parameter holder"};
  if (shards_.size() > 1)
    text += " of shard " + std::to_string(shard);
  if (shards_[shard].route)
    text += " at " + shards_[shard].route->address;
  return text;
}

caf::error RemoteHolderState::not_here(const std::string& request) const {
  return fail(Error::invalid_options, request + " is for a parameter holder itself, not for worker "
                                        + std::to_string(options_.worker)
                                        + "'s way to it; send it on the holder's node");
}

// -- membership -----------------------------------------------------------------------------------

caf::result<Joined> RemoteHolderState::join(const Join& join) {
  if (auto defect = join.layout.defect(); !defect.empty())
    return fail(Error::invalid_options, "worker " + std::to_string(join.worker)
                                          + " joins with an unsound layout: " + defect);
  if (join_ && !joining_)
    if (auto difference = join.layout.difference(join_->layout); !difference.empty())
      return fail(Error::shape_mismatch, "worker " + std::to_string(join.worker)
                                           + " trains another model than it joined with: "
                                           + difference + "; give all workers one configuration");
  join_ = join;
  map_ = ShardMap{join.layout, shards_.size()};
  joining_ = self_->make_response_promise<Joined>();
  joining_since_ = now();
  stale_ = false;
  superseded_ = {};
  ending_.reset(); // of earlier training
  stop_passed_on_ = false;
  interrupt_ = {};
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    shards_[shard].incarnation = 0;
    shards_[shard].seen = shards_[shard].restored = 0;
    if (shards_[shard].route)
      join_shard(shard);
    else
      connect(shard);
  }
  if (!looking_)
    self_->delayed_send(self_, look_at_shards_every, CheckShards{});
  looking_ = true;
  return *joining_;
}

void RemoteHolderState::join_shard(std::size_t shard) {
  auto& to = shards_[shard];
  if (to.joining)
    return;
  to.joining = true;
  auto join = *join_;
  join.layout = map_.layout_of(shard);
  join.cluster = options_.cluster;
  join.workers = options_.workers;
  join.lease = options_.lease;
  join.is_reader = options_.is_reader;
  join.process = options_.process;
  const auto way = to.route->control;
  request_within(self_, way, control_deadline, std::move(join))
    .then(
      [this, shard, address = way.address()](const Joined& answer) {
        if (is_connection(shard, address))
          joined(shard, answer);
      },
      [this, shard, address = way.address()](const caf::error& error) {
        if (!is_connection(shard, address))
          return;
        shards_[shard].joining = false;
        if (ours(error))
          refused(shard, error);
        else
          lose(shard, sentence(error));
      });
}

void RemoteHolderState::joined(std::size_t shard, const Joined& answer) {
  auto& from = shards_[shard];
  from.joining = false;
  from.incarnation = answer.incarnation;
  from.created = answer.created;
  from.silent = 0;
  speak_of_loss(shard, answer);
  if (!reachable())
    return;
  outage_may_be_over(shard);
  const auto created
    = std::all_of(shards_.begin(), shards_.end(), [](const Shard& one) { return one.created; });
  if (joining_) {
    joins_ = shards_.front().incarnation;
    stale_ = false; // whoever was forgotten while it joined has trained nothing yet
    joining_->deliver(Joined{joins_, created});
    joining_.reset();
  } else if (stale_) {
    say(Level::info, created ? "has joined again; it goes on from the shared parameters"
                             : "has joined again; the parameter holder came back empty, and gets "
                               "its parameters from the first worker that syncs");
  }
  renew(0); // who is main, at once
  send_all();
}

void RemoteHolderState::refused(std::size_t shard, const caf::error& error) {
  if (!join_) // another shard has refused it, or it has left
    return;
  const auto told = shards_[shard].last_error == sentence(error);
  shards_[shard].last_error = sentence(error);
  if (joining_) {
    joining_->deliver(error);
    joining_.reset();
    join_.reset();
    return;
  }
  if (!told)
    say(Level::error, shard_name(shard) + " refuses it: " + sentence(error));
  if (error == Error::superseded)
    make_connection(error);
  while (!operations_.empty())
    give_up(operations_.begin(), error);
}

void RemoteHolderState::make_connection(const caf::error& error) {
  superseded_ = error;
  join_.reset(); // it neither joins again nor leaves, which would be in the other one's name
  for (const auto& trainer : watching_)
    self_->send(trainer, BeMain{false});
}

void RemoteHolderState::rejoin() {
  const auto in_flight
    = std::any_of(shards_.begin(), shards_.end(), [](const Shard& shard) { return shard.joining; });
  // What a holder that took it for lost did not get by then, none of them waits for any more.
  std::erase_if(operations_, [](const Operation& operation) { return operation.given_up; });
  for (auto& operation : operations_)
    if (pushes(operation)) {
      operation.refetch = true;
      operation.ticket = ++tickets_; // answers to what was sent before are void
      operation.sent.assign(shards_.size(), false);
      operation.answers.assign(shards_.size(), std::nullopt);
    }
  if (in_flight || !join_)
    return;
  if (!out_since_ && !joining_)
    out_since_ = now();
  if (!stale_ && !joining_)
    say(Level::warning,
        options_.is_reader
          ? "is no longer known to the parameter holder, which took it for lost or was started "
            "anew; it joins again"
          : "is no longer known to the parameter holder, which took it for lost or was started "
            "anew; it joins again, and where there are shared parameters, what it trained since "
            "its last sync is left out");
  stale_ = true;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    shards_[shard].incarnation = 0;
    if (shards_[shard].route)
      join_shard(shard);
  }
}

void RemoteHolderState::renew(std::size_t shard) {
  auto& to = shards_[shard];
  if (!to.route || to.incarnation == 0 || to.renewing)
    return;
  to.renewing = true;
  const auto way = to.route->control;
  request_within(self_, way, timespan_of(options_.lease), Renew{options_.worker, to.incarnation})
    .then(
      [this, shard, address = way.address()](const Renewed& renewed) {
        if (!is_connection(shard, address))
          return;
        shards_[shard].renewing = false;
        shards_[shard].silent = 0;
        shards_[shard].seen = std::max(shards_[shard].seen, renewed.version);
        if (shard == 0)
          heard(renewed);
      },
      [this, shard, address = way.address(),
       incarnation = to.incarnation](const caf::error& error) {
        if (!is_connection(shard, address))
          return;
        auto& from = shards_[shard];
        from.renewing = false;
        if (ours(error) && from.incarnation != incarnation)
          return; // it has joined anew since
        if (ours(error))
          rejoin();
        else if (++from.silent >= silence_allowed)
          lose(shard, "it has not answered " + std::to_string(silence_allowed) + " renewals");
      });
}

void RemoteHolderState::heard(const Renewed& renewed) {
  const auto main_before = news_.main;
  const auto first = news_.workers.empty();
  news_ = renewed;
  if (first || (renewed.main != main_before && renewed.stop.empty())) // nobody follows who ends all
    for (const auto& trainer : watching_)
      self_->send(trainer, BeMain{renewed.main == options_.worker});
  hear_of_end({renewed.stop, renewed.interrupt});
}

caf::result<Renewed> RemoteHolderState::renewed() const { return news_; }

void RemoteHolderState::watch(const Trainer& trainer) {
  watching_.push_back(trainer);
  if (!news_.workers.empty())
    self_->send(trainer, BeMain{news_.main == options_.worker});
}

void RemoteHolderState::leave() {
  for (auto& shard : shards_) {
    if (shard.route && join_)
      self_->send(shard.route->control, Leave{options_.worker, shard.incarnation});
    shard.incarnation = 0;
  }
  join_.reset();
  const auto left
    = fail(Error::not_joined, "worker " + std::to_string(options_.worker) + " has left");
  if (joining_)
    joining_->deliver(left);
  joining_.reset();
  while (!operations_.empty())
    give_up(operations_.begin(), left);
}

// -- time -----------------------------------------------------------------------------------------

void RemoteHolderState::look() {
  looking_ = join_.has_value();
  if (!join_)
    return;
  self_->delayed_send(self_, look_at_shards_every, CheckShards{});
  const auto time = now();
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    auto& one = shards_[shard];
    if (!one.route && time >= one.try_from)
      connect(shard);
    else if (one.route && one.incarnation == 0)
      join_shard(shard);
    else if (time >= one.renew_from) {
      one.renew_from = time + options_.lease;
      renew(shard);
    }
  }
  send_all();
  look_at_end();
  look_at_interrupt();
  if (joining_ && !outage_told_ && time - joining_since_ >= join_patience)
    speak_of_outage();
  if (joining_ && time - joining_since_ >= options_.join_deadline) {
    joining_->deliver(no_way_found());
    joining_.reset();
    join_.reset();
    return;
  }
  give_up_late();
}

} // namespace troupe
