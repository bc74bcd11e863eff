// Workers that sync over connections that lose, duplicate, delay and reorder messages: a push is
// applied at most once, an acknowledged push is applied, and every request is answered.
#include "tests/support/remote_holder_stage.hpp"
#include "tests/support/rounds.hpp"

#include <algorithm>
#include <array>
#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr WorkerId workers = 3;
constexpr std::size_t pushes = 12, places = 16;      ///< places: elements of each worker
constexpr std::size_t shard_size = workers * places; ///< of one shard

/// What a worker has observed.
struct Observations {
  std::vector<bool> acknowledged = std::vector<bool>(pushes, false);
  std::vector<std::string> complaints;
  std::size_t sent = 0;
  double longest_wait = 0;
  bool done = false;
};

/// Push number k of a worker adds 1 to an element of its own, in each shard.
Block push_of(WorkerId worker, std::size_t k, std::size_t shards) {
  Block block{static_cast<Index>(shards * shard_size)};
  for (std::size_t shard = 0; shard < shards; ++shard)
    block.edit()[shard * shard_size + worker * places + k] = 1;
  return block;
}

/// Joins, creates, pushes, one after the other, and leaves.
class Worker {
public:
  static constexpr const char* name = "worker";
  using Self = caf::stateful_actor<Worker>*;

  static caf::behavior behave(Self self, RemoteHolder holder, WorkerId number, std::size_t shards,
                              Staleness staleness, std::shared_ptr<Observations> observations) {
    auto& state = self->state;
    state.self_ = self;
    state.holder_ = std::move(holder);
    state.number_ = number;
    state.shards_ = shards;
    state.staleness_ = staleness;
    state.observations_ = std::move(observations);
    state.join();
    return {[&state](std::uint64_t) { state.created_ ? state.push() : state.create(); }};
  }

private:
  template <class Request, class Then>
  void ask(const Request& request, Then then) {
    const auto began = now();
    const auto waited = [=, this] {
      observations_->longest_wait = std::max(observations_->longest_wait, now() - began);
    };
    self_->request(holder_, caf::infinite, request)
      .then(
        [=](Parameters& answer) mutable {
          waited();
          then(answer, caf::error{});
        },
        [=](const caf::error& error) mutable {
          waited();
          Parameters none;
          then(none, error);
        });
  }

  void join() {
    Layout layout;
    layout.add("w", {static_cast<Index>(shards_ * shard_size)});
    self_->request(holder_, caf::infinite, join_of(number_, layout))
      .then(
        [this](const Joined& joined) {
          incarnation_ = joined.incarnation;
          create();
        },
        [this](const caf::error& error) { complain("Join", error); });
  }

  void create() {
    const auto zeros = Block{static_cast<Index>(shards_ * shard_size)};
    ask(CreateIfAbsent{number_, zeros}, [this](Parameters&, const caf::error& error) {
      if (error == Error::unavailable)
        again();
      else if (error)
        complain("CreateIfAbsent", error);
      else {
        created_ = true;
        push();
      }
    });
  }

  void push() {
    const auto k = observations_->sent++;
    if (k == pushes) {
      self_->send(holder_, Leave{number_});
      observations_->done = true;
      return self_->quit();
    }
    Exchange exchange;
    exchange.push.id = {number_, incarnation_, k + 1};
    exchange.push.rule.name = "downpour"; // adds, with and without rounds
    exchange.push.staleness = staleness_;
    exchange.push.values = push_of(number_, k, shards_);
    ask(exchange, [=, this](Parameters& answer, const caf::error& error) {
      if (error && error != Error::unavailable)
        return complain("Exchange", error);
      if (!error && !answer.rejoined) {
        observations_->acknowledged[k] = true;
        for (std::size_t shard = 0; shard < shards_; ++shard)
          if (answer.values.view()[shard * shard_size + number_ * places + k] != 1)
            observations_->complaints.push_back("an answer without its push");
      }
      again();
    });
  }

  void again() { self_->delayed_send(self_, 300ms, std::uint64_t{0}); }
  void complain(const std::string& request, const caf::error& error) {
    observations_->complaints.push_back(request + ": " + sentence(error));
  }
  double now() const {
    return std::chrono::duration<double>(self_->clock().now().time_since_epoch()).count();
  }

  Self self_ = nullptr;
  RemoteHolder holder_;
  WorkerId number_ = 0;
  std::size_t shards_ = 1;
  Staleness staleness_;
  std::uint64_t incarnation_ = 0;
  bool created_ = false;
  std::shared_ptr<Observations> observations_;
};

/// Random faults, the same for the same seed.
class RandomFaults {
public:
  explicit RandomFaults(unsigned seed) : random_(seed) {}

  bool chance(double p) { return std::bernoulli_distribution{p}(random_); }
  double up_to(double most) { return std::uniform_real_distribution{0.0, most}(random_); }

  /// A lost message on the block connection also ends the connection, as with TCP; a small message
  /// may be lost in a busy node.
  Delivery delivery(const std::string& message) {
    Delivery delivery;
    if (chance(0.3))
      delivery.late = up_to(1.5);
    if (chance(0.2))
      delivery.answer_late = up_to(1.5);
    if (chance(0.1))
      delivery.copies = 2;
    const auto lost = chance(0.1);
    delivery.arrives = !lost || chance(0.7);
    delivery.answered = !lost;
    delivery.ends_connection = lost && (chance(0.2) || (message != "Join" && message != "Renew"));
    return delivery;
  }

private:
  std::mt19937 random_;
};

void check_holder_of(RemoteStage& stage, std::size_t shard,
                     const std::vector<std::shared_ptr<Observations>>& all_observations) {
  const auto pulled = stage.world.ask<Parameters>(stage.holders[shard], Pull{0});
  REQUIRE(pulled);
  std::size_t applied = 0;
  for (WorkerId worker = 0; worker < workers; ++worker)
    for (std::size_t k = 0; k < pushes; ++k) {
      const auto times = pulled->values.view()[worker * places + k];
      INFO("worker " << worker << ", push " << k + 1 << ", shard " << shard);
      CHECK(times <= 1);
      CHECK(times >= (all_observations[worker]->acknowledged[k] ? 1 : 0));
      applied += times > 0;
    }
  const auto status = stage.world.ask<HolderStatus>(stage.holders[shard], GetHolderStatus{});
  CHECK(status->pushes == applied);
  CHECK(status->workers.empty());
  for (auto [worker, journal] : status->journal) {
    std::erase(journal, 0u); // incarnations that have pushed nothing
    CHECK(std::adjacent_find(journal.begin(), journal.end(), std::greater_equal{})
          == journal.end());
  }
}

/// Over all workers and shards.
struct Tally {
  std::size_t acknowledged = 0; ///< pushes
  std::size_t doubled = 0;      ///< duplicated on the way to a holder
};

Tally run(unsigned seed, std::size_t shards, Staleness staleness) {
  Tally tally;
  RandomFaults faults{seed};
  RemoteStage stage{shards};
  std::vector<RemoteStage::Remote> remotes;
  std::vector<std::shared_ptr<Observations>> all_observations;
  for (WorkerId worker = 0; worker < workers; ++worker) {
    RemoteHolderOptions options;
    options.worker = worker;
    options.workers = workers;
    remotes.push_back(stage.remote(options));
    for (auto& far : remotes.back().far)
      far->deliveries = [&](const std::string& message) {
        const auto delivery = faults.delivery(message);
        tally.doubled += message == "Exchange" && delivery.arrives && delivery.copies > 1 ? 1 : 0;
        return delivery;
      };
    all_observations.push_back(std::make_shared<Observations>());
    stage.world.keep(stage.world.system.spawn(Worker::behave, remotes.back().handle, worker, shards,
                                              staleness, all_observations.back()));
  }
  const auto done = [&] {
    return std::all_of(all_observations.begin(), all_observations.end(),
                       [](const auto& one) { return one->done; });
  };
  std::array<std::array<double, 2>, workers> cut_until{}; ///< 0: not cut
  const auto began = stage.world.now();
  while (!done() && stage.world.now() - began < 600 && stage.world.wait()) {
    const auto now = stage.world.now();
    for (WorkerId worker = 0; worker < workers; ++worker)
      for (std::size_t shard = 0; shard < shards; ++shard)
        if (auto& until = cut_until[worker][shard]; until > 0 && now >= until) {
          until = 0;
          stage.mend(remotes[worker], shard);
        } else if (until == 0 && faults.chance(0.001)) {
          until = now + faults.up_to(8);
          stage.cut(remotes[worker], shard);
        }
  }
  for (auto& remote : remotes)
    for (auto& far : remote.far)
      far->deliveries = [](const std::string&) { return Delivery{}; };
  stage.pass(5s); // messages in flight still arrive
  for (const auto& observations : all_observations) {
    CHECK(observations->done);
    CHECK(observations->complaints == std::vector<std::string>{});
    CHECK(observations->longest_wait < 120);
    tally.acknowledged += static_cast<std::size_t>(
      std::count(observations->acknowledged.begin(), observations->acknowledged.end(), true));
  }
  for (std::size_t shard = 0; shard < shards; ++shard)
    check_holder_of(stage, shard, all_observations);
  return tally;
}

void check_seeds(Staleness staleness) {
  std::size_t acknowledged = 0, doubled = 0;
  constexpr unsigned seeds = rounds(48);
  for (std::size_t shards = 1; shards <= 2; ++shards)
    for (unsigned seed = 0; seed < seeds; ++seed) {
      INFO("seed " << seed << ", " << shards << " shards");
      const auto tally = run(seed, shards, staleness);
      acknowledged += tally.acknowledged;
      doubled += tally.doubled;
    }
  CHECK(acknowledged > seeds * 2 * workers * pushes / 3); // bad luck, but not that bad
  CHECK(doubled > seeds * 2); // each would be a 2 if its push were applied twice
}

} // namespace

TEST_CASE("over the worst connections no push is applied twice, and no acknowledged one is lost",
          "[R9][L4]") {
  check_seeds({});
}

TEST_CASE("over the worst connections rounds are completed", "[R9][L4]") { check_seeds({0}); }

TEST_CASE("over the worst connections workers keep their bound and make progress", "[R9][L4]") {
  check_seeds({2});
}
