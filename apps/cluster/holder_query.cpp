#include "apps/cluster/holder_query.hpp"

#include "apps/transport/node_system.hpp"
#include "apps/transport/reached_holder.hpp"
#include "apps/transport/token.hpp"
#include "apps/transport/trust.hpp"
#include "base/failure.hpp"
#include "messages/parameters/held_parameters.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto connecting_deadline = 4s;
constexpr auto holder_deadline = 60s; // for an answer with all parameters
constexpr auto retry_interval = 100ms;
constexpr auto most_attempts = 20;

std::vector<Endpoint> endpoints_of(const HolderQuery& query) {
  std::vector<Endpoint> endpoints;
  try {
    for (const auto& address : hosts_from(query.addresses))
      endpoints.push_back(parse_endpoint(address));
  } catch (const std::invalid_argument& e) {
    throw UsageError(std::string{"--ps: "} + e.what());
  }
  return endpoints;
}

Trust trust_in_holders(const HolderQuery& query, const std::vector<Endpoint>& holders) {
  if (!query.certs.empty())
    return check_trust(identity_in(query.certs, query.name), false, holders.front().host);
  for (const auto& holder : holders)
    if (!is_loopback(holder.host))
      throw ConfigError("'" + holder.host
                        + "' is another machine, which needs TLS: give --certs FOLDER and --name "
                          "NODE, made by `troupe certs node`");
  return {};
}

std::string token_for(const HolderQuery& query) {
  if (!query.token_file.empty())
    return token_of_file(query.token_file);
  if (auto token = cluster_token(); !token.empty())
    return token;
  const auto file = std::filesystem::path{query.certs} / token_file;
  return !query.certs.empty() && std::filesystem::exists(file) ? token_of_file(file) : "";
}

/// Ends the process at once: the actor system would wait for the connection to a frozen peer.
[[noreturn]] void give_up_on(const Endpoint& holder, const caf::error& error) {
  if (error == Error::invalid_options) {
    std::cerr << "troupe: the parameter holder at " << to_string(holder)
              << " refuses this process: " << sentence(error)
              << ", or name its file with --token-file" << std::endl;
    std::_Exit(static_cast<int>(ExitCode::refused));
  }
  std::cerr << "troupe: the parameter holder at " << to_string(holder)
            << " does not answer: " << sentence(error)
            << "; is it running, and does it need --certs?" << std::endl;
  std::_Exit(static_cast<int>(ExitCode::unavailable));
}

class QueriedHolders {
public:
  QueriedHolders(const Trust& trust, const std::string& token, std::vector<Endpoint> endpoints)
    : config_(1),
      system_(config_),
      endpoints_(std::move(endpoints)) {
    for (const auto& endpoint : endpoints_) {
      auto holder = reach_holder_within(system_, endpoint, trust, token, connecting_deadline);
      if (!holder)
        give_up_on(endpoint, holder.error());
      holders_.push_back(*holder);
    }
  }

  std::vector<SavedHolder> ask() {
    caf::scoped_actor self{system_};
    std::vector<SavedHolder> answers(holders_.size());
    for (std::size_t i = 0; i < holders_.size(); ++i)
      self->request(holders_[i], holder_deadline, SaveHolder{})
        .receive([&](SavedHolder& saved) { answers[i] = std::move(saved); },
                 [&](const caf::error& error) { give_up_on(endpoints_[i], error); });
    return answers;
  }

private:
  NodeSystemConfig config_;
  caf::actor_system system_;
  std::vector<Endpoint> endpoints_;
  std::vector<ParameterHolder> holders_;
};

} // namespace

std::vector<SavedHolder> saved_by_holders(const HolderQuery& query) {
  const auto endpoints = endpoints_of(query);
  QueriedHolders client{trust_in_holders(query, endpoints), token_for(query), endpoints};
  auto saved = client.ask();
  for (auto attempts = 1; attempts < most_attempts && !of_one_moment(saved); ++attempts) {
    std::this_thread::sleep_for(retry_interval);
    saved = client.ask();
  }
  if (const auto without = without_parameters(saved))
    throw Failure(ExitCode::unavailable,
                  {"the parameter holder at " + to_string(endpoints[*without])
                   + " has no parameters yet; ask again once a worker has joined"});
  if (!of_one_moment(saved))
    std::cerr << "troupe: the shards of the parameters have different versions, because pushes "
                 "came too fast\n";
  return saved;
}

} // namespace troupe
