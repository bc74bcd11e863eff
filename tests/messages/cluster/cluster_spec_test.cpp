#include "messages/cluster/cluster_spec.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

using namespace troupe;

namespace {

using Hosts = std::vector<std::string>;

Hosts named(const std::string& name, int count) {
  Hosts hosts;
  for (int i = 0; i < count; ++i)
    hosts.push_back(name + std::to_string(i) + ":2222");
  return hosts;
}

ClusterSpec cluster(int ps, int workers, int masters, Role role, int index) {
  return {.ps = named("ps", ps),
          .workers = named("worker", workers),
          .masters = named("master", masters),
          .role = role,
          .index = index};
}

ClusterSpec by_rank(int ranks, int index) {
  return {.ps = {"first:2222"}, .role = Role::worker, .index = index, .ranks = ranks};
}

/// The views of all processes of a cluster.
std::vector<ClusterSpec> views(int ps, int workers, int masters) {
  std::vector<ClusterSpec> all;
  for (int i = 0; i < masters; ++i)
    all.push_back(cluster(ps, workers, masters, Role::master, i));
  for (int i = 0; i < ps; ++i)
    all.push_back(cluster(ps, workers, masters, Role::ps, i));
  for (int i = 0; i < workers; ++i)
    all.push_back(cluster(ps, workers, masters, Role::worker, i));
  return all;
}

std::vector<int> shards(const std::vector<ClusterSpec>& all) {
  std::vector<int> result;
  for (const auto& spec : all)
    if (spec.trains())
      result.push_back(spec.shard_index());
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<int> up_to(int n) {
  std::vector<int> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

template <class Predicate>
auto count(const std::vector<ClusterSpec>& all, Predicate is) {
  return std::count_if(all.begin(), all.end(), [&](const auto& spec) { return (spec.*is)(); });
}

std::string spec_defect(const ClusterSpec& spec) {
  try {
    check(spec);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

} // namespace

TEST_CASE("with no cluster a process is the master, alone", "[cluster_spec][T1]") {
  const ClusterSpec spec;
  CHECK(!spec.has_cluster());
  CHECK(spec.num_workers() == 1);
  CHECK(spec.num_ps() == 0);
  CHECK(spec.shard_index() == 0);
  CHECK(spec.is_master());
  CHECK(spec.trains());
  CHECK(!spec.hosts_holder());
  CHECK(!spec.trial);
  CHECK_NOTHROW(check(spec));
}

TEST_CASE("without both holders and workers there is no cluster", "[cluster_spec][T1]") {
  for (const auto& spec : {cluster(2, 0, 0, Role::master, 0), cluster(0, 2, 0, Role::worker, 1)}) {
    CHECK(!spec.has_cluster());
    CHECK(spec.num_workers() == 1);
    CHECK(spec.num_ps() == 0);
    CHECK(spec.is_master());
  }
}

TEST_CASE("hosts are given as a list or as text with commas", "[cluster_spec][T2]") {
  ClusterSpec a = cluster(1, 0, 0, Role::worker, 0);
  auto b = a;
  a.workers = hosts_from(" a:1 ,b:2,\t[::1]:3 ");
  b.workers = hosts_from_list({"a:1", "b:2 ", "[::1]:3"});
  CHECK(a == b);
  CHECK(a.workers == Hosts{"a:1", "b:2", "[::1]:3"});
  CHECK(hosts_from("a:1") == Hosts{"a:1"});
}

TEST_CASE("blank text contains no hosts", "[cluster_spec][T2]") {
  CHECK(hosts_from("").empty());
  CHECK(hosts_from(" \n").empty());
  CHECK(hosts_from_list({}).empty());
}

TEST_CASE("an empty host in a list is refused", "[cluster_spec][T2]") {
  for (auto list : {",", "a:1,", ",a:1", "a:1,,b:2", "a:1, ,b:2"}) {
    CAPTURE(list);
    CHECK_THROWS_WITH(hosts_from(list), Catch::Contains("no address: it is empty"));
  }
  CHECK_THROWS_AS(hosts_from_list({""}), std::invalid_argument);
}

TEST_CASE("a repeated host is refused, however it is spelt", "[cluster_spec][T2]") {
  for (auto list : {"a:1,a:1", "a:1,b:1, a:1", "a:1,A:1", "[::1]:1,[::1]:1", "a:80,a:080"}) {
    CAPTURE(list);
    CHECK_THROWS_WITH(hosts_from(list), Catch::Contains("is in the list twice"));
  }
  CHECK_NOTHROW(hosts_from("a:1,a:2,b:1"));
}

TEST_CASE("an address is a host and a port", "[cluster_spec][T2]") {
  CHECK(parse_endpoint("node-1.example.org:2222") == Endpoint{"node-1.example.org", 2222});
  CHECK(parse_endpoint(" 10.0.0.1:1 ") == Endpoint{"10.0.0.1", 1});
  CHECK(parse_endpoint("[::1]:65535") == Endpoint{"::1", 65535});
  CHECK(parse_endpoint("[fe80::1%eth0]:80") == Endpoint{"fe80::1%eth0", 80});
  for (auto text : {"a:1", "10.0.0.1:2222", "[::1]:3", "my_host:65535"})
    CHECK(to_string(parse_endpoint(text)) == text);
}

TEST_CASE("a text that is not an address is refused with what to write", "[cluster_spec][T2]") {
  const std::vector<std::pair<std::string, std::string>> broken{
    {"", "it is empty"},
    {"a", "the port is missing; write a:2222"},
    {"20000", "the host is missing; write 127.0.0.1:20000"},
    {"a:", "not a whole number from 1 to 65535"},
    {"a:0", "not a whole number from 1 to 65535"},
    {"a:65536", "not a whole number from 1 to 65535"},
    {"a:-1", "not a whole number from 1 to 65535"},
    {"a:+1", "not a whole number from 1 to 65535"},
    {"a: 1", "not a whole number from 1 to 65535"},
    {"a:1x", "not a whole number from 1 to 65535"},
    {"a:99999999999999999999", "not a whole number from 1 to 65535"},
    {":1", "the host is missing"},
    {"a b:1", "letters, digits"},
    {"a/b:1", "letters, digits"},
    {"b\xc3\xbc:1", "letters, digits"},
    {std::string(254, 'a') + ":1", "letters, digits"},
    {"http://a:1", "several colons"},
    {"::1:2222", "write an IPv6 address in brackets"},
    {"999.0.0.1:1", "not an IPv4 address"},
    {"10.0.1:1", "not an IPv4 address"},
    {"[::1]", "the port is missing"},
    {"[::1:2222", "the bracket is not closed"},
    {"[::1]x:1", "does not follow the bracket"},
    {"[a]:1", "no IPv6 address"},
    {"[]:1", "no IPv6 address"},
    {"[1::2::3]:1", "no IPv6 address"},
    {"[fe80::1%]:1", "no IPv6 address"}};
  for (const auto& [text, sentence] : broken) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_endpoint(text), std::invalid_argument);
    CHECK_THROWS_WITH(parse_endpoint(text),
                      Catch::Contains(" is no address: ") && Catch::Contains(sentence));
  }
}

TEST_CASE("without a master host worker 0 is the master", "[cluster_spec][T3]") {
  for (int i = 0; i < 3; ++i) {
    const auto spec = cluster(2, 3, 0, Role::worker, i);
    CHECK(spec.num_workers() == 3);
    CHECK(spec.num_ps() == 2);
    CHECK(spec.shard_index() == i);
    CHECK(spec.is_master() == (i == 0));
    CHECK(spec.is_worker());
    CHECK(!spec.is_ps());
    CHECK(!spec.is_evaluator());
  }
}

TEST_CASE("a ps is not a master, and holds parameters", "[cluster_spec][T3]") {
  for (int masters : {0, 1}) {
    const auto spec = cluster(2, 3, masters, Role::ps, 0);
    CHECK(spec.num_workers() == 3 + masters);
    CHECK(spec.is_ps());
    CHECK(!spec.is_master());
    CHECK(!spec.is_worker());
    CHECK(!spec.is_evaluator());
    CHECK(!spec.trains());
    CHECK(spec.hosts_holder());
    CHECK(cluster(2, 3, masters, Role::ps, 1).shard_index() == 1);
  }
}

TEST_CASE("a master trains too, on shard 0", "[cluster_spec][T4]") {
  const auto master = cluster(1, 3, 1, Role::master, 0);
  CHECK(master.num_workers() == 4);
  CHECK(master.shard_index() == 0);
  CHECK(master.is_master());
  CHECK(master.trains());
  CHECK(!master.is_worker());
  for (int i = 0; i < 3; ++i) {
    const auto worker = cluster(1, 3, 1, Role::worker, i);
    CHECK(worker.num_workers() == 4);
    CHECK(worker.shard_index() == i + 1);
    CHECK(!worker.is_master());
  }
}

TEST_CASE("shard indices are a permutation, and there is one master, in any cluster",
          "[cluster_spec][T3][T4]") {
  std::mt19937 random{11};
  for (int i = 0; i < 300; ++i) {
    const int ps = 1 + static_cast<int>(random() % 5);
    const int masters = static_cast<int>(random() % 2);
    const int workers = 1 + static_cast<int>(random() % 20);
    CAPTURE(ps, workers, masters);
    const auto all = views(ps, workers, masters);
    for (const auto& spec : all)
      REQUIRE(spec_defect(spec).empty());
    REQUIRE(shards(all) == up_to(all.front().num_workers()));
    REQUIRE(count(all, &ClusterSpec::is_master) == 1);
    REQUIRE(count(all, &ClusterSpec::is_evaluator) == 0);
  }
}

TEST_CASE("tasks by rank train on the shard of their rank, and rank 0 holds the parameters",
          "[cluster_spec][T3]") {
  for (int i = 0; i < 4; ++i) {
    const auto spec = by_rank(4, i);
    CHECK_NOTHROW(check(spec));
    CHECK(spec.num_workers() == 4);
    CHECK(spec.num_ps() == 1);
    CHECK(spec.shard_index() == i);
    CHECK(spec.is_master() == (i == 0));
    CHECK(spec.hosts_holder() == (i == 0));
  }
}

TEST_CASE("an index out of range is refused", "[cluster_spec][T8]") {
  CHECK(spec_defect(cluster(1, 3, 0, Role::worker, 5))
        == "worker index 5 is out of range: there are 3 of role worker, so it is 0 to 2");
  CHECK(spec_defect(cluster(1, 3, 0, Role::ps, 1))
        == "ps index 1 is out of range: there is 1 ps, so it is 0");
  CHECK(!spec_defect(cluster(1, 3, 0, Role::worker, 3)).empty());
  CHECK(!spec_defect(cluster(1, 3, 0, Role::worker, -1)).empty());
  CHECK(!spec_defect(cluster(1, 3, 1, Role::master, 1)).empty());
  CHECK(!spec_defect(cluster(1, 3, 1, Role::evaluator, 1)).empty());
  CHECK(!spec_defect(cluster(0, 0, 0, Role::master, 1)).empty());
  CHECK(!spec_defect(cluster(0, 0, 0, Role::worker, 1)).empty());
  CHECK(!spec_defect(by_rank(4, 4)).empty());
}

TEST_CASE("an unknown role is refused with the known ones", "[cluster_spec][T8]") {
  for (auto role : {Role::master, Role::ps, Role::worker, Role::evaluator})
    CHECK(parse_role(to_string(role)) == role);
  CHECK(parse_role("chief") == Role::master);
  for (auto text : {"", "Worker", "worker ", "boss", "parameter_server"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_role(text),
                      Catch::Contains("is not a role; give one of master (or chief), ps, worker, "
                                      "evaluator"));
  }
  CHECK_THAT(spec_defect(cluster(1, 1, 0, static_cast<Role>(9), 0)), Catch::Contains("unknown"));
}

TEST_CASE("a role that the cluster does not have is refused", "[cluster_spec][T8]") {
  using Catch::Contains;
  CHECK_THAT(spec_defect(cluster(1, 2, 0, Role::master, 0)),
             Contains("let worker 0 be the master"));
  CHECK_THAT(spec_defect(cluster(1, 0, 1, Role::worker, 0)), Contains("the role is worker, but"));
  CHECK_THAT(spec_defect(cluster(0, 0, 0, Role::ps, 0)),
             Contains("there is no cluster; name a ps"));
  CHECK_THAT(spec_defect(cluster(0, 0, 0, Role::evaluator, 0)), Contains("there is no cluster"));
  // cure: but there is no cluster; name a ps and a worker as host:port
  CHECK_NOTHROW(check(cluster(1, 1, 0, Role::ps, 0)));
}

TEST_CASE("an incomplete cluster is refused", "[cluster_spec][T8]") {
  CHECK_THAT(spec_defect(cluster(1, 0, 0, Role::ps, 0)), Catch::Contains("no process that trains"));
  CHECK_THAT(spec_defect(cluster(0, 1, 0, Role::worker, 0)),
             Catch::Contains("has no parameter holder"));
  CHECK_THAT(spec_defect(cluster(1, 1, 2, Role::worker, 0)),
             Catch::Contains("there are 2 masters"));
  auto mixed = by_rank(4, 0);
  mixed.workers = {"a:1"};
  CHECK_THAT(spec_defect(mixed), Catch::Contains("by rank and by address"));
  // cure: by rank and by address; give one of the two
  CHECK_NOTHROW(check(by_rank(4, 0)));
  CHECK_NOTHROW(check(cluster(1, 1, 0, Role::worker, 0)));
  CHECK_THAT(spec_defect(by_rank(-1, 0)), Catch::Contains("there are -1 ranks"));
  CHECK_THAT(spec_defect(by_rank(2'000'000'000, 0)), Catch::Contains("start 1 to 1000000"));
}

TEST_CASE("an address of two processes is refused, and a malformed one with its process",
          "[cluster_spec][T8]") {
  auto spec = cluster(2, 2, 0, Role::worker, 0);
  spec.workers[1] = "PS0:2222";
  CHECK_THAT(spec_defect(spec), Catch::StartsWith("worker 1: 'PS0:2222' is the address of two"));
  spec.workers[1] = "ps0";
  CHECK_THAT(spec_defect(spec),
             Catch::StartsWith("worker 1: 'ps0' is no address: the port is missing"));
}

TEST_CASE("the last worker becomes the evaluator in a new spec", "[cluster_spec][T10]") {
  const auto first = cluster(1, 2, 0, Role::worker, 0);
  const auto last = cluster(1, 2, 0, Role::worker, 1);
  const auto before = last;
  const auto evaluator = last.last_worker_as_evaluator();
  CHECK(last == before);
  CHECK(evaluator.is_evaluator());
  CHECK(!evaluator.trains());
  CHECK(!evaluator.is_master());
  CHECK(evaluator.workers == Hosts{"worker0:2222"});
  CHECK(evaluator.num_workers() == 1);
  CHECK_NOTHROW(check(evaluator));
  auto another = evaluator;
  another.role = Role::evaluator;
  CHECK_THAT(spec_defect(another), Catch::Contains("leave out one of them"));
  // cure: no other process can be; leave out one of them
  CHECK_NOTHROW(check(evaluator));
  another.last_worker_evaluates = false;
  another.index = 0;
  CHECK_NOTHROW(check(another));
  CHECK(first.last_worker_as_evaluator().trains());
  CHECK(first.last_worker_as_evaluator().is_master());
}

TEST_CASE("a master whose only worker evaluates still has a cluster", "[cluster_spec][T10]") {
  const auto master = cluster(1, 1, 1, Role::master, 0).last_worker_as_evaluator();
  const auto worker = cluster(1, 1, 1, Role::worker, 0).last_worker_as_evaluator();
  const auto ps = cluster(1, 1, 1, Role::ps, 0).last_worker_as_evaluator();
  for (const auto& spec : {master, worker, ps}) {
    CHECK_NOTHROW(check(spec));
    CHECK(spec.has_cluster());
    CHECK(spec.num_workers() == 1);
    CHECK(spec.num_ps() == 1);
  }
  CHECK((master.is_master() && master.trains()));
  CHECK((worker.is_evaluator() && !worker.is_master()));
  CHECK((!ps.is_master() && !ps.is_evaluator()));
}

TEST_CASE("the only training process cannot be the evaluator", "[cluster_spec][T10]") {
  for (const auto& spec : {ClusterSpec{}, cluster(1, 1, 0, Role::worker, 0),
                           cluster(1, 0, 1, Role::master, 0), by_rank(1, 0)})
    CHECK_THROWS_WITH(spec.last_worker_as_evaluator(),
                      Catch::Contains("only 1 trains; start at least 2"));
}

TEST_CASE("a cluster gets at most one evaluator", "[cluster_spec][T10][T11]") {
  const auto once = cluster(1, 3, 0, Role::worker, 0).last_worker_as_evaluator();
  CHECK_THROWS_WITH(once.last_worker_as_evaluator(), Catch::Contains("an evaluator already"));
  CHECK_THROWS_WITH(cluster(1, 3, 0, Role::evaluator, 0).last_worker_as_evaluator(),
                    Catch::Contains("an evaluator already"));
}

TEST_CASE("a spec with a bad value is refused before its last worker is removed",
          "[cluster_spec][T8][T10]") {
  CHECK_THROWS_WITH(cluster(1, 3, 0, Role::worker, 5).last_worker_as_evaluator(),
                    Catch::Contains("worker index 5"));
}

TEST_CASE("the evaluator is the worker whose index is the number of remaining workers",
          "[cluster_spec][T11]") {
  for (int masters : {0, 1})
    for (int i = 0; i < 3; ++i) {
      const auto spec = cluster(1, 3, masters, Role::worker, i).last_worker_as_evaluator();
      CAPTURE(masters, i);
      CHECK(spec.is_evaluator() == (i == 2));
      CHECK(spec.is_worker());
    }
  CHECK(cluster(1, 3, 1, Role::evaluator, 0).is_evaluator());
}

TEST_CASE(
  "with the last worker removed there is one evaluator, one master, and shards for the rest",
  "[cluster_spec][T4][T10][T11]") {
  std::mt19937 random{12};
  for (int i = 0; i < 300; ++i) {
    const int ps = 1 + static_cast<int>(random() % 5);
    const int masters = static_cast<int>(random() % 2);
    const int workers = 2 - masters + static_cast<int>(random() % 20);
    CAPTURE(ps, workers, masters);
    auto all = views(ps, workers, masters);
    for (auto& spec : all)
      spec = spec.last_worker_as_evaluator();
    for (const auto& spec : all)
      REQUIRE(spec_defect(spec).empty());
    REQUIRE(count(all, &ClusterSpec::is_evaluator) == 1);
    REQUIRE(count(all, &ClusterSpec::is_master) == 1);
    REQUIRE(shards(all) == up_to(workers + masters - 1));
  }
}

TEST_CASE("the last of the tasks by rank becomes the evaluator, too", "[cluster_spec][T10][T11]") {
  const auto first = by_rank(2, 0).last_worker_as_evaluator();
  const auto last = by_rank(2, 1).last_worker_as_evaluator();
  CHECK((first.has_cluster() && first.trains() && first.is_master() && first.hosts_holder()));
  CHECK((last.is_evaluator() && !last.hosts_holder()));
  CHECK(last.num_workers() == 1);
}

TEST_CASE("the chosen roles are printed", "[cluster_spec]") {
  auto spec = cluster(1, 2, 1, Role::worker, 1);
  spec.source = "TF_CONFIG";
  spec.trial = "7";
  CHECK(describe(spec)
        == "cluster from TF_CONFIG: 1 ps, 3 processes train\n"
           "  ps: ps0:2222\n"
           "  master: master0:2222\n"
           "  workers: worker0:2222, worker1:2222\n"
           "  this process: worker 1, trains on shard 2 of 0 to 2, trial 7\n");
  CHECK(describe(cluster(1, 2, 0, Role::worker, 1).last_worker_as_evaluator())
        == "cluster: 1 ps, 1 process trains, the last worker evaluates\n"
           "  ps: ps0:2222\n"
           "  workers: worker0:2222\n"
           "  this process: worker 1, the evaluator, reads the whole evaluation set\n");
  CHECK(describe({}) == "no cluster: this process trains alone, as the master\n");
}

TEST_CASE("the holder of tasks by rank is printed, with the note", "[cluster_spec]") {
  auto spec = by_rank(4, 0);
  spec.source = "torchrun";
  spec.note = "chosen by lot";
  CHECK(describe(spec)
        == "cluster from torchrun: 1 ps, 4 processes train\n"
           "  ps: first:2222, in the process of rank 0\n"
           "  chosen by lot\n"
           "  this process: worker 0, the master, trains on shard 0 of 0 to 3, holds parameters\n");
}

TEST_CASE("only the first eight hosts of a long list are printed", "[cluster_spec]") {
  CHECK_THAT(describe(cluster(1, 100, 0, Role::ps, 0)),
             Catch::Contains("worker7:2222 and 92 more\n"));
}
