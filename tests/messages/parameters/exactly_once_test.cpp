#include "messages/wire/type_ids.hpp"
#include "tests/support/round_store.hpp"
#include "tests/support/rounds.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr WorkerId workers = 4;

/// A plain model of the store: the pushes one after the other, each once.
struct SerialStore {
  struct One {
    bool here = false;
    std::uint64_t incarnation = 0, last = 0;
    std::map<std::uint64_t, Push> waits; ///< for its round; at most one
  };
  Staleness staleness;
  bool journal = true; ///< otherwise it applies repeated pushes again
  Floats values;
  Version version = 0;
  std::map<WorkerId, One> all;
  std::multiset<std::tuple<WorkerId, std::uint64_t, std::uint64_t>> applied;

  bool fresh(const PushId& id) const {
    const auto& one = all.at(id.worker);
    return one.here && one.incarnation == id.incarnation && (!journal || id.number > one.last);
  }
  void apply(const PushId& id) {
    applied.emplace(id.worker, id.incarnation, id.number);
    all[id.worker].last = id.number;
  }
  void push(const Push& push) {
    if (!fresh(push.id))
      return;
    if (staleness.synchronous()) {
      all[push.id.worker].waits.insert_or_assign(push.id.number, push);
    } else {
      const auto pushed = floats_of(push.values);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 0.5f * values[i] + 0.5f * pushed[i];
      ++version;
      apply(push.id);
    }
    end_round();
  }
  void end_round() {
    float count = 0;
    Floats sum(values.size(), 0.0f);
    for (auto& [worker, one] : all) {
      if (one.here && one.waits.empty())
        return;
      for (auto& [number, push] : one.waits) {
        const auto pushed = floats_of(push.values);
        for (std::size_t i = 0; i < sum.size(); ++i)
          sum[i] = count == 0 ? pushed[i] : sum[i] + pushed[i];
        ++count;
      }
    }
    if (count == 0)
      return;
    for (auto& [worker, one] : all) {
      for (auto& [number, push] : one.waits)
        apply(push.id);
      one.waits.clear();
    }
    const auto share = 1 / count;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = share * sum[i];
    ++version;
  }
  void gone(WorkerId worker) {
    all[worker].here = false;
    all[worker].waits.clear();
    end_round();
  }
  void rejoin(WorkerId worker) {
    auto& one = all[worker];
    one = {true, one.incarnation + 1, 0, {}};
    end_round();
  }
};

/// A worker that repeats its push until it is answered, over a network that loses, duplicates,
/// delays and reorders messages in both directions.
class Trial {
public:
  Trial(unsigned seed, Staleness staleness) : random_(seed), shared_(workers, Floats{1, 2, 3}, 1) {
    serial_.staleness = staleness;
    serial_.values = shared_.values();
    for (WorkerId worker = 0; worker < workers; ++worker) {
      serial_.all[worker].here = true;
      serial_.all[worker].incarnation = 1;
    }
    forgetful_ = serial_;
    forgetful_.journal = false;
    for (WorkerId worker = 0; worker < workers; ++worker)
      begin_push(worker);
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      now_ += 0.02;
      const WorkerId worker = random_() % workers;
      if (random_() % 200 == 0)
        silent_until_[worker] = now_ + 4; // its lease ends meanwhile
      if (random_() % 300 == 0)
        rejoin(worker); // its process was restarted
      for (WorkerId one = 0; one < workers; ++one)
        if (now_ >= silent_until_[one])
          live(one);
      if (!network_.empty() && random_() % 8 != 0)
        deliver(random_() % network_.size());
      for (auto lost : shared_.store.expire(now_)) {
        serial_.gone(lost);
        forgetful_.gone(lost);
      }
      settle();
      compare();
    }
    while (!network_.empty()) {
      deliver(random_() % network_.size());
      settle();
      compare();
    }
  }

  std::size_t answered() const { return answered_.size(); }
  /// Whether a store that applies pushes twice would have different values.
  bool would_notice() const { return would_notice_; }

private:
  void live(WorkerId worker) {
    const auto& id = shared_.ids[worker];
    if (!shared_.store.renew({worker, id.incarnation}, now_))
      rejoin(worker);
    if (random_() % 8 == 0) // requests and repeats
      send(*outbox_[worker]);
  }

  void send(const Push& push) {
    for (auto copies = random_() % 3; copies > 0; --copies) // lost, once, duplicated
      network_.push_back(push);
  }

  void begin_push(WorkerId worker) {
    const auto rule = serial_.staleness.synchronous() ? "average" : "alpha_beta";
    Floats values;
    for (int i = 0; i < 3; ++i)
      values.push_back(1 + static_cast<float>(random_() % 1000) / 64);
    outbox_[worker] = shared_.next(worker, values, serial_.staleness, named_rule(rule));
  }

  void rejoin(WorkerId worker) {
    shared_.join(worker, now_);
    serial_.rejoin(worker);
    forgetful_.rejoin(worker);
    begin_push(worker);
  }

  void deliver(std::size_t place) {
    const auto push = network_[place];
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(place));
    const auto was_here = serial_.all[push.id.worker].here;
    const auto refused = !was_here || serial_.all[push.id.worker].incarnation != push.id.incarnation
                         || push.id.number < serial_.all[push.id.worker].last;
    const auto done = shared_.store.exchange(push, now_);
    REQUIRE(refused == static_cast<bool>(done.refusal));
    serial_.push(push);
    forgetful_.push(push);
    if (done.answer)
      answer(push.id);
  }

  void settle() {
    for (const auto& settled : shared_.store.settle())
      answer(settled.id);
  }

  /// The worker learns that its push was applied; usually.
  void answer(const PushId& id) {
    REQUIRE(serial_.applied.contains({id.worker, id.incarnation, id.number}));
    answered_.emplace(id.worker, id.incarnation, id.number);
    if (random_() % 3 != 0 && outbox_[id.worker]->id == id)
      begin_push(id.worker);
  }

  void compare() {
    REQUIRE(shared_.values() == serial_.values);
    const auto status = shared_.store.status();
    REQUIRE(status.version == serial_.version);
    REQUIRE(status.pushes == serial_.applied.size());
    for (const auto& [worker, one] : serial_.all)
      REQUIRE(status.journal.at(worker).back() == one.last);
    const std::set once(serial_.applied.begin(), serial_.applied.end());
    REQUIRE(once.size() == serial_.applied.size());
    would_notice_ = would_notice_ || forgetful_.values != serial_.values;
  }

  std::mt19937 random_;
  RoundStore shared_;
  SerialStore serial_;
  SerialStore forgetful_; ///< gets the same messages
  bool would_notice_ = false;
  double now_ = 0;
  std::map<WorkerId, double> silent_until_;
  std::map<WorkerId, std::optional<Push>> outbox_; ///< not answered yet
  std::vector<Push> network_;
  std::set<std::tuple<WorkerId, std::uint64_t, std::uint64_t>> answered_;
};

} // namespace

TEST_CASE(
  "over a network that loses, duplicates, delays and reorders, each push is applied exactly "
  "once",
  "[exactly_once][R9]") {
  const auto bound = GENERATE(-1, 0, 2);
  std::size_t answered = 0;
  for (unsigned seed = 0; seed < static_cast<unsigned>(test::rounds(24)); ++seed) {
    INFO("staleness " << bound << ", seed " << seed);
    Trial trial{seed, Staleness{bound}};
    trial.run(800);
    answered += trial.answered();
    CHECK(trial.would_notice());
  }
  CHECK(answered > static_cast<std::size_t>(test::rounds(1000))); // there was progress
}
