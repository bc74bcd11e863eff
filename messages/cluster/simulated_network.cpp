#include "messages/cluster/simulated_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace troupe {

namespace {

constexpr double first_timeout = 0.2; // seconds after which TCP sends again

bool concerns(const Outage& outage, std::size_t a, std::size_t b) {
  return outage.node == a || outage.node == b;
}

} // namespace

std::string defect(const SimulatedNetworkOptions& options) {
  const auto time = [](double seconds) { return seconds >= 0 && std::isfinite(seconds); };
  if (!time(options.latency) || !time(options.jitter))
    return "latency and jitter are times of 0 seconds or more";
  if (!(options.bandwidth > 0))
    return "the bandwidth is a number of bytes per second greater than 0, or inf";
  if (!(options.loss >= 0 && options.loss < 1))
    return "the loss is a share of the messages, 0 or more and less than 1";
  return "";
}

SimulatedNetwork::SimulatedNetwork(const SimulatedNetworkOptions& options, std::size_t nodes,
                                   std::vector<Outage> outages, RandomKey key)
  : options_(options),
    lines_(nodes),
    outages_(std::move(outages)),
    random_(key) {}

std::optional<double> SimulatedNetwork::arrival(std::size_t from, std::size_t to, std::size_t bytes,
                                                double now) {
  auto sent = now;
  const auto block = bytes > packet;
  auto& out = lines_.at(from).free_out;
  auto& in = lines_.at(to).free_in;
  const auto free_out = out, free_in = in;
  if (block)
    out = in = sent = std::max({now, out, in}) + static_cast<double>(bytes) / options_.bandwidth;
  auto& last = last_[{from, to, block}];
  const auto jitter = options_.jitter > 0 ? random_.uniform(0, options_.jitter) : 0;
  last = std::max(last, sent + options_.latency + jitter + retransmissions());
  const auto parted = connects(from, to, now) ? next_outage(from, to, now) : now;
  if (!parted || *parted > last)
    return last;
  out = std::min(out, std::max(free_out, *parted)); // what has not been sent by then never is
  in = std::min(in, std::max(free_in, *parted));
  last_.erase({from, to, false});
  last_.erase({from, to, true});
  return {};
}

double SimulatedNetwork::retransmissions() {
  double seconds = 0;
  if (options_.loss > 0)
    for (auto timeout = first_timeout; random_.uniform() < options_.loss; timeout *= 2)
      seconds += timeout;
  return seconds;
}

bool SimulatedNetwork::connects(std::size_t a, std::size_t b, double now) const {
  return std::none_of(outages_.begin(), outages_.end(), [&](const Outage& outage) {
    return concerns(outage, a, b) && outage.from <= now && now < outage.until;
  });
}

std::optional<double> SimulatedNetwork::next_outage(std::size_t a, std::size_t b,
                                                    double now) const {
  std::optional<double> next;
  for (const auto& outage : outages_)
    if (concerns(outage, a, b) && outage.from > now && outage.until > outage.from)
      next = std::min(next.value_or(outage.from), outage.from);
  return next;
}

} // namespace troupe
