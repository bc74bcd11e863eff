#include "messages/cluster/cluster_spec.hpp"

#include "base/text/number_in.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

bool only(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == text.npos;
}

constexpr std::string_view name_letters
  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

std::string host_defect(const std::string& host) {
  in_addr address{};
  if (host.empty())
    return "the host is missing; write host:port";
  if (host.size() > 253 || !only(host, name_letters))
    return "the host may have letters, digits, '-', '.' and '_' only; write host:port";
  if (only(host, ".0123456789") && inet_pton(AF_INET, host.c_str(), &address) != 1)
    return "the host is not an IPv4 address; write four numbers up to 255, as 10.0.0.1:2222";
  return {};
}

std::string ipv6_defect(const std::string& host) {
  in6_addr address{};
  const auto percent = host.find('%'); // the interface of a link-local address
  const auto zone = percent == host.npos ? "" : host.substr(percent + 1);
  if (inet_pton(AF_INET6, host.substr(0, percent).c_str(), &address) != 1
      || (percent != host.npos && (zone.empty() || !only(zone, name_letters))))
    return "there is no IPv6 address between the brackets; write it as [::1]:2222";
  return {};
}

Endpoint with_lower_case_host(Endpoint endpoint) { // hosts are ASCII here
  endpoint.host = lower_case(endpoint.host);
  return endpoint;
}

constexpr int most_ranks = 1'000'000;

int size_of(const std::vector<std::string>& list) { return static_cast<int>(list.size()); }

void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

void check_addresses(const ClusterSpec& spec) {
  std::set<Endpoint> seen;
  const auto look_at = [&seen](const std::vector<std::string>& hosts, Role role) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto who = std::string{to_string(role)} + " " + std::to_string(i);
      Endpoint endpoint;
      try {
        endpoint = parse_endpoint(hosts[i]);
      } catch (const std::invalid_argument& error) {
        refuse(who + ": " + error.what());
      }
      if (!seen.insert(with_lower_case_host(endpoint)).second)
        refuse(who + ": " + in_quotes(hosts[i])
               + " is the address of two processes; give each its own host or port");
    }
  };
  look_at(spec.ps, Role::ps);
  look_at(spec.masters, Role::master);
  look_at(spec.workers, Role::worker);
  if (spec.masters.size() > 1)
    refuse("there are " + std::to_string(spec.masters.size())
           + " masters; name one, and the others as workers");
}

void check_cluster(const ClusterSpec& spec) {
  const auto role = std::string{to_string(spec.role)};
  const bool by_rank = spec.ranks != 0;
  if (spec.ranks < 0 || spec.ranks > most_ranks)
    refuse("there are " + std::to_string(spec.ranks) + " ranks; start 1 to "
           + std::to_string(most_ranks));
  if (by_rank && spec.ps.size() != 1)
    refuse("there are " + std::to_string(spec.ps.size())
           + " ps addresses; tasks by rank share one holder, so give one");
  if (by_rank && !(spec.workers.empty() && spec.masters.empty()))
    refuse("tasks are given by rank and by address; give one of the two");
  if (spec.has_cluster())
    return;
  if (!spec.ps.empty())
    refuse("the cluster has a ps but no process that trains; name a worker as host:port");
  if (!spec.workers.empty() || !spec.masters.empty())
    refuse("the cluster has no parameter holder; name a ps as host:port");
  if (!spec.trains() || spec.last_worker_evaluates)
    refuse("the role is " + role
           + ", but there is no cluster; name a ps and a worker as host:port");
}

// How many processes share the role of this one.
int count_of_role(const ClusterSpec& spec) {
  switch (spec.role) {
  case Role::ps: return spec.num_ps();
  case Role::evaluator: return 1;
  case Role::master: return spec.has_cluster() ? size_of(spec.masters) : 1;
  case Role::worker:
    return spec.has_cluster() ? spec.remaining_workers() + (spec.last_worker_evaluates ? 1 : 0) : 1;
  }
  return 0;
}

constexpr std::size_t most_listed_hosts = 8;

// "worker 0, the master, trains on shard 0 of 0 to 3".
std::string this_process(const ClusterSpec& spec) {
  auto text = std::string{to_string(spec.role)} + " " + std::to_string(spec.index);
  if (spec.is_worker() && spec.is_master())
    text += ", the master";
  if (spec.is_worker() && spec.is_evaluator())
    text += ", the evaluator";
  if (spec.trains())
    text += ", trains on shard " + std::to_string(spec.shard_index()) + " of 0 to "
            + std::to_string(spec.num_workers() - 1);
  if (spec.hosts_holder())
    text += ", holds parameters";
  if (spec.is_evaluator())
    text += ", reads the whole evaluation set";
  if (spec.trial)
    text += ", trial " + *spec.trial;
  return text;
}

} // namespace

std::string_view to_string(Role role) {
  switch (role) {
  case Role::master: return "master";
  case Role::ps: return "ps";
  case Role::worker: return "worker";
  case Role::evaluator: return "evaluator";
  }
  return "unknown";
}

Role parse_role(std::string_view text) {
  for (auto role : {Role::master, Role::ps, Role::worker, Role::evaluator})
    if (text == to_string(role))
      return role;
  if (text == "chief")
    return Role::master;
  throw std::invalid_argument(
    in_quotes(text) + " is not a role; give one of master (or chief), ps, worker, evaluator");
}

Endpoint parse_endpoint(std::string_view given) {
  const auto text = trimmed(given);
  const auto fail
    = [&](const std::string& why) { refuse(in_quotes(given) + " is no address: " + why); };
  if (text.empty())
    fail("it is empty; write host:port, without extra commas");
  const bool brackets = text.front() == '[';
  const auto close = brackets ? text.find(']') : 0;
  if (close == text.npos)
    fail("the bracket is not closed; write [::1]:2222");
  const auto colon = text.find(':', close);
  if (colon == text.npos && number_in<std::uint64_t>(text))
    fail("the host is missing; write 127.0.0.1:" + std::string{text.substr(0, 60)});
  if (colon == text.npos)
    fail("the port is missing; write " + std::string{text.substr(0, 60)} + ":2222");
  if (!brackets && text.find(':', colon + 1) != text.npos)
    fail("it has several colons; write an IPv6 address in brackets, as [::1]:2222");
  if (brackets && colon != close + 1)
    fail("the port does not follow the bracket; write [::1]:2222");
  Endpoint endpoint{std::string{brackets ? text.substr(1, close - 1) : text.substr(0, colon)}};
  const auto defect = brackets ? ipv6_defect(endpoint.host) : host_defect(endpoint.host);
  if (!defect.empty())
    fail(defect);
  endpoint.port = number_in<std::uint16_t>(text.substr(colon + 1)).value_or(0);
  if (endpoint.port == 0)
    fail("the port is not a whole number from 1 to 65535");
  return endpoint;
}

std::string to_string(const Endpoint& endpoint) {
  const bool ipv6 = endpoint.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::vector<std::string> hosts_from_list(const std::vector<std::string>& hosts) {
  std::vector<std::string> result;
  std::set<Endpoint> seen;
  for (const auto& host : hosts) {
    if (!seen.insert(with_lower_case_host(parse_endpoint(host))).second)
      refuse(in_quotes(host) + " is in the list twice; give each process its own host or port");
    result.emplace_back(trimmed(host));
  }
  return result;
}

std::vector<std::string> hosts_from(std::string_view list) {
  return trimmed(list).empty() ? std::vector<std::string>{} : hosts_from_list(split_at(',', list));
}

int ClusterSpec::remaining_workers() const { return ranks > 0 ? ranks : size_of(workers); }

int ClusterSpec::num_workers() const {
  return has_cluster() ? remaining_workers() + (masters.empty() ? 0 : 1) : 1;
}

bool ClusterSpec::is_master() const {
  if (!has_cluster())
    return true;
  return masters.empty() ? is_worker() && index == 0 : role == Role::master;
}

bool ClusterSpec::is_evaluator() const {
  return role == Role::evaluator || (has_cluster() && is_worker() && index == remaining_workers());
}

ClusterSpec ClusterSpec::last_worker_as_evaluator() const {
  check(*this);
  if (last_worker_evaluates || role == Role::evaluator)
    refuse("the cluster has an evaluator already; use only one of the two ways to get one");
  if (num_workers() <= 1)
    refuse("the last worker cannot be the evaluator, since only " + std::to_string(num_workers())
           + " trains; start at least 2");
  auto result = *this;
  if (ranks > 0)
    --result.ranks;
  else
    result.workers.pop_back();
  result.last_worker_evaluates = true;
  return result;
}

void check(const ClusterSpec& spec) {
  check_addresses(spec);
  check_cluster(spec);
  const auto role = std::string{to_string(spec.role)};
  const auto count = count_of_role(spec);
  if (spec.last_worker_evaluates && spec.role == Role::evaluator)
    refuse("the last worker is the evaluator, so no other process can be; leave out one of them");
  if (count == 0)
    refuse("the role is " + role + ", but the cluster names none; name one as host:port"
           + (spec.role == Role::master ? ", or let worker 0 be the master" : ""));
  if (spec.index < 0 || spec.index >= count)
    refuse(role + " index " + std::to_string(spec.index) + " is out of range: there "
           + (count == 1 ? "is 1 " + role + ", so it is 0"
                         : "are " + std::to_string(count) + " of role " + role + ", so it is 0 to "
                             + std::to_string(count - 1)));
}

std::string describe(const ClusterSpec& spec) {
  const auto from = spec.source.empty() ? "" : " from " + spec.source;
  const auto note = spec.note.empty() ? "" : "  " + spec.note + "\n";
  if (!spec.has_cluster())
    return "no cluster" + from + ": this process trains alone, as the master\n" + note;
  auto text = "cluster" + from + ": " + std::to_string(spec.num_ps()) + " ps, "
              + std::to_string(spec.num_workers())
              + (spec.num_workers() == 1 ? " process trains" : " processes train")
              + (spec.last_worker_evaluates ? ", the last worker evaluates\n" : "\n");
  text += "  ps: " + first_joined(spec.ps, most_listed_hosts)
          + (spec.ranks > 0 ? ", in the process of rank 0\n" : "\n");
  if (!spec.masters.empty())
    text += "  master: " + first_joined(spec.masters, most_listed_hosts) + "\n";
  if (!spec.workers.empty())
    text += "  workers: " + first_joined(spec.workers, most_listed_hosts) + "\n";
  return text + note + "  this process: " + this_process(spec) + "\n";
}

} // namespace troupe
