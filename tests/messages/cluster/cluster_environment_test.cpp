#include "messages/cluster/cluster_environment.hpp"
#include "tests/support/rounds.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>

using namespace troupe;
using Catch::Contains;
using Catch::StartsWith;

namespace {

using Variables = std::map<std::string, std::string>;
using Hosts = std::vector<std::string>;

/// The spec from `variables`; fails the test if there is none.
ClusterSpec read_spec(const Variables& variables, const ClusterDefaults& defaults = {}) {
  const auto spec = cluster_from_environment(variables, defaults);
  REQUIRE(spec);
  return *spec;
}

ClusterSpec read_config(const std::string& json) { return read_spec({{"TF_CONFIG", json}}); }

/// What is wrong with `variables`; "" if nothing is.
std::string env_refusal(const Variables& variables, const ClusterDefaults& defaults = {}) {
  try {
    cluster_from_environment(variables, defaults);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string config_defect(const std::string& json) { return env_refusal({{"TF_CONFIG", json}}); }

const std::string full_config = R"({"cluster": {"chief": ["c:1"], "ps": ["p:1", "p:2"],)"
                                R"( "worker": ["w:1", "w:2"]},)"
                                R"( "task": {"type": "worker", "index": 1, "trial": "7"},)"
                                R"( "rpc_layer": "grpc"})";

/// TF_CONFIG with this cluster and this task.
std::string environment_config(const std::string& cluster, const std::string& task) {
  return R"({"cluster": )" + cluster + R"(, "task": )" + task + "}";
}

const std::string two_workers = R"({"ps": ["p:1"], "worker": ["w:1", "w:2"]})";

Variables job(const std::string& name, const std::string& index) {
  return {{"JOB_NAME", name},
          {"TASK_INDEX", index},
          {"PS_HOSTS", "p:1"},
          {"WORKER_HOSTS", "w:1, w:2"},
          {"MASTER_HOST", "m:1"}};
}

Variables torch(const std::string& rank, const std::string& size) {
  return {{"RANK", rank},
          {"WORLD_SIZE", size},
          {"LOCAL_RANK", "1"},
          {"MASTER_ADDR", "a"},
          {"MASTER_PORT", "29500"}};
}

Variables slurm(const std::string& rank, const std::string& size) {
  return {{"SLURM_PROCID", rank},
          {"SLURM_NTASKS", size},
          {"SLURM_JOB_NODELIST", "n[07-09],x"},
          {"SLURM_JOB_ID", "120005"}};
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more)
    variables[name] = value;
  return variables;
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

} // namespace

TEST_CASE("without variables there is no cluster", "[cluster_environment][T7]") {
  CHECK(!cluster_from_environment({}));
  CHECK(!cluster_from_environment({{"HOME", "/root"}, {"TASK_INDEX", "1"}, {"MASTER_ADDR", "a"}}));
  CHECK(!cluster_from_environment({{"TF_CONFIG", ""}, {"JOB_NAME", ""}, {"RANK", ""}}));
}

TEST_CASE("without variables a required cluster is an error", "[cluster_environment][T7]") {
  CHECK_THAT(env_refusal({}, {.required = true}), StartsWith("a cluster is required, but"));
  CHECK(env_refusal(torch("0", "2"), {.required = true}).empty());
}

TEST_CASE("TF_CONFIG provides cluster, role, index and trial", "[cluster_environment][T5]") {
  const auto spec = read_config(full_config);
  CHECK(spec.masters == Hosts{"c:1"});
  CHECK(spec.ps == Hosts{"p:1", "p:2"});
  CHECK(spec.workers == Hosts{"w:1", "w:2"});
  CHECK(spec.role == Role::worker);
  CHECK(spec.index == 1);
  CHECK(spec.trial == "7");
  CHECK(spec.source == "TF_CONFIG");
  CHECK(spec.num_workers() == 3);
}

TEST_CASE("TF_CONFIG wins over all other sources", "[cluster_environment][T5]") {
  const auto spec
    = read_spec(with(with(job("ps", "0"), torch("3", "4")), {{"TF_CONFIG", full_config}}));
  CHECK(spec.source == "TF_CONFIG");
  CHECK(spec.role == Role::worker);
}

TEST_CASE("without a task TF_CONFIG means master 0", "[cluster_environment][T5]") {
  for (std::string end : {"}", R"(, "task": null})", R"(, "task": {}})"}) {
    const auto spec
      = read_config(R"({"cluster": {"ps": ["p:1"], "worker": ["w:1"], "master": ["m:1"]})" + end);
    CHECK(spec.role == Role::master);
    CHECK(spec.index == 0);
    CHECK(!spec.trial);
  }
}

TEST_CASE("without a cluster TF_CONFIG means training alone", "[cluster_environment][T5]") {
  for (auto json : {"{}", R"({"cluster": null})", R"({"cluster": {}})",
                    R"({"cluster": {"ps": [], "worker": []}})"}) {
    CAPTURE(json);
    const auto spec = read_config(json);
    CHECK(!spec.has_cluster());
    CHECK(spec.is_master());
    CHECK(spec.num_workers() == 1);
  }
}

TEST_CASE("a role without a cluster is refused instead of training alone",
          "[cluster_environment]") {
  for (std::string type : {"worker", "chief", "master"})
    for (std::string cluster : {"", R"("cluster": null, )", R"("cluster": {}, )",
                                R"("cluster": {"ps": [], "worker": []}, )"}) {
      CAPTURE(type, cluster);
      CHECK_THAT(
        config_defect("{" + cluster + R"("task": {"type": ")" + type + R"(", "index": 0}})"),
        StartsWith("TF_CONFIG: task.type: the role is ") && Contains("there is no cluster"));
    }
  CHECK_THAT(env_refusal({{"JOB_NAME", "worker"}, {"TASK_INDEX", "0"}}),
             StartsWith("JOB_NAME: the role is worker, but there is no cluster; give PS_HOSTS"));
}

TEST_CASE("an unknown member of TF_CONFIG is refused with the nearest known one",
          "[cluster_environment]") {
  CHECK_THAT(config_defect(R"({"sparseCluster": {"worker": {}, "ps": []},)"
                           R"( "task": {"type": "chief", "index": 0}})"),
             StartsWith("TF_CONFIG: 'sparseCluster' is not a member of TF_CONFIG"));
  CHECK_THAT(config_defect(R"({"Cluster": {"ps": ["p:1"], "worker": ["w:1"]}})"),
             Contains("did you mean 'cluster'?"));
  CHECK_THAT(config_defect(environment_config(two_workers, R"({"type": "worker", "indx": 0})")),
             StartsWith("TF_CONFIG: 'indx' is not a member of task; did you mean 'index'?"));
  CHECK(config_defect(R"({"environment": "cloud", "rpc_layer": "grpc", "job": {"a": 1}})").empty());
}

TEST_CASE("master and chief are two names of one role", "[cluster_environment][T5]") {
  const std::string master = R"({"ps": ["p:1"], "worker": ["w:1"], "master": ["m:1"]})";
  const std::string chief = R"({"ps": ["p:1"], "worker": ["w:1"], "chief": "m:1"})";
  CHECK(read_config(environment_config(master, R"({"type": "chief", "index": 0})"))
        == read_config(environment_config(chief, R"({"type": "master"})")));
  CHECK_THAT(config_defect(R"({"cluster": {"ps": ["p:1"], "worker": ["w:1"], "chief": ["a:1"],)"
                           R"( "master": ["b:1"]}})"),
             Contains("give one of them"));
}

TEST_CASE("hosts in TF_CONFIG are a list or text with commas", "[cluster_environment][T2][T5]") {
  const std::string task = R"({"type": "worker", "index": "1"})";
  CHECK(read_config(environment_config(two_workers, task))
        == read_config(environment_config(R"({"ps": "p:1", "worker": "w:1, w:2"})", task)));
}

TEST_CASE("the evaluator is not listed in the cluster", "[cluster_environment][T5][T11]") {
  const auto spec
    = read_config(environment_config(two_workers, R"({"type": "evaluator", "index": 0})"));
  CHECK(spec.is_evaluator());
  CHECK(!spec.trains());
  CHECK(spec.num_workers() == 2);
  CHECK_THAT(
    config_defect(R"({"cluster": {"ps": ["p:1"], "worker": ["w:1"], "evaluator": ["e:1"]}})"),
    Contains("cluster.evaluator is not part of the cluster; take it out"));
  CHECK_THAT(config_defect(environment_config(two_workers, R"({"type": "evaluator", "index": 1})")),
             Contains("evaluator index 1 is out of range"));
}

TEST_CASE("a cluster without a ps or worker key is an error", "[cluster_environment][T5]") {
  CHECK_THAT(config_defect(R"({"cluster": {"worker": ["w:1"]}})"),
             StartsWith("TF_CONFIG: cluster.ps is missing"));
  CHECK_THAT(config_defect(R"({"cluster": {"ps": ["p:1"]}})"),
             StartsWith("TF_CONFIG: cluster.worker is missing"));
}

TEST_CASE("a bad key of TF_CONFIG is named", "[cluster_environment][T5]") {
  const auto cluster = [](const std::string& ps) {
    return environment_config(R"({"worker": [], "ps": )" + ps + "}", "{}");
  };
  const auto task = [](const std::string& task) { return environment_config(two_workers, task); };
  const std::vector<std::pair<std::string, std::string>> broken{
    {"[]", "TF_CONFIG is not a JSON object but array; give {"},
    {"7", "TF_CONFIG is not a JSON object but number"},
    {R"({"cluster": []})", "cluster is of type array; give an object"},
    {R"({"task": "worker"})", "task is 'worker', of type string; give an object"},
    {cluster("7"), "cluster.ps is '7', of type number; give a list"},
    {cluster(R"({"1": "p:1"})"), "cluster.ps is of type object; give a list"},
    {cluster(R"(["p:1", 7])"), "cluster.ps[1] is '7', of type number; give text"},
    {cluster(R"(["p:1", null])"), "cluster.ps[1] is 'null', of type null"},
    {cluster(R"(["p"])"), "cluster.ps: 'p' is no address: the port is missing"},
    {cluster(R"(["p:1", "p:1"])"), "cluster.ps: 'p:1' is in the list twice"},
    {cluster(R"([""])"), "cluster.ps: '' is no address: it is empty"},
    {cluster(R"([], "wroker": [])"), "'wroker' in cluster is unknown; give ps, worker or chief"},
    {task(R"({"type": 7})"), "task.type is '7', of type number"},
    {task(R"({"type": "boss", "index": 0})"), "task.type: 'boss' is not a role"},
    {task(R"({"type": "worker"})"), "task.index is missing"},
    {task(R"({"type": "worker", "index": "one"})"), "task.index is 'one', of type string"},
    {task(R"({"type": "worker", "index": 1.0})"), "task.index is '1.0', of type number"},
    {task(R"({"type": "worker", "index": -1})"), "task.index is '-1', of type number"},
    {task(R"({"type": "worker", "index": 99999999999999999999})"), "task.index is '"},
    {task(R"({"type": "worker", "index": [0]})"), "task.index is of type array"},
    {task(R"({"type": "worker", "index": true})"), "task.index is 'true', of type boolean"},
    {task(R"({"type": "worker", "index": 0, "trial": [1]})"), "task.trial is of type array"},
    {task(R"({"type": "worker", "index": 2})"), "worker index 2 is out of range"},
    {task(R"({})"), "the role is master, but the cluster names none"},
    {R"({"task": {"type": "ps", "index": 0}})", "the role is ps, but there is no cluster"}};
  for (const auto& [json, sentence] : broken) {
    CAPTURE(json);
    CHECK_THAT(config_defect(json), StartsWith("TF_CONFIG") && Contains(sentence));
  }
}

TEST_CASE("a truncated TF_CONFIG is refused with the place", "[cluster_environment][T5]") {
  for (std::size_t n = 1; n < full_config.size(); ++n) {
    CAPTURE(n);
    CHECK_THAT(config_defect(full_config.substr(0, n)),
               StartsWith("TF_CONFIG is not JSON: it breaks at byte "));
  }
}

TEST_CASE("TF_CONFIG with a changed byte gives a spec or a sentence", "[cluster_environment][T5]") {
  std::mt19937 random{5};
  for (int i = 0; i < test::rounds(20'000); ++i) {
    auto json = full_config;
    for (auto n = 1 + random() % 3; n > 0; --n)
      json[random() % json.size()] = static_cast<char>(random());
    CAPTURE(json);
    const auto sentence = config_defect(json);
    REQUIRE((sentence.empty() || StartsWith("TF_CONFIG").match(sentence)));
  }
}

TEST_CASE("TF_CONFIG with deep nesting or a huge number is refused", "[cluster_environment][T5]") {
  const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
  CHECK_THAT(config_defect(deep), Contains("not a JSON object but array"));
  CHECK_THAT(config_defect(R"({"task": )" + deep + "}"), Contains("task is of type array"));
  CHECK_THAT(config_defect(environment_config(R"({"ps": [], "worker": [)" + deep + "]}", "{}")),
             Contains("cluster.worker[0] is of type array"));
  CHECK_THAT(config_defect(R"({"x": 1e999})"), Contains("a number that is too large"));
}

TEST_CASE("the JOB_NAME variables give the same spec as TF_CONFIG",
          "[cluster_environment][T2][T6]") {
  auto spec = read_spec(job("worker", "1"));
  CHECK(spec.source == "JOB_NAME");
  spec.source = "TF_CONFIG";
  CHECK(spec
        == read_config(R"({"cluster": {"ps": ["p:1"], "worker": ["w:1", "w:2"],)"
                       R"( "master": ["m:1"]}, "task": {"type": "worker", "index": 1}})"));
}

TEST_CASE("JOB_NAME wins over launchers", "[cluster_environment][T6]") {
  CHECK(read_spec(with(job("ps", "0"), torch("1", "4"))).is_ps());
}

TEST_CASE("TASK_INDEX is required and a whole number", "[cluster_environment][T6]") {
  CHECK_THAT(env_refusal(without(job("worker", ""), "TASK_INDEX")),
             StartsWith("TASK_INDEX is not set; "));
  CHECK_THAT(env_refusal(job("worker", "")), StartsWith("TASK_INDEX is not set; "));
  for (auto text : {"one", "1.0", "-1", "+1", " 1", "1 ", "0x1", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THAT(env_refusal(job("worker", text)),
               StartsWith("TASK_INDEX is '") && Contains("not a whole number"));
  }
  CHECK_THAT(env_refusal(job("worker", "2")), Contains("worker index 2 is out of range"));
}

TEST_CASE("without its hosts JOB_NAME means training alone", "[cluster_environment][T6]") {
  const auto spec = read_spec({{"JOB_NAME", "master"}, {"TASK_INDEX", "0"}, {"PS_HOSTS", ""}});
  CHECK(!spec.has_cluster());
  CHECK(spec.is_master());
}

TEST_CASE("a JOB_NAME that means something else is refused with the cure",
          "[cluster_environment][T6][T8]") {
  CHECK_THAT(env_refusal({{"JOB_NAME", "nightly build"}}),
             StartsWith("JOB_NAME (unset it if it is not meant): 'nightly build' is not a role"));
}

TEST_CASE("a bad host in the JOB_NAME variables is named with its variable",
          "[cluster_environment][T6][T8]") {
  for (auto name : {"PS_HOSTS", "WORKER_HOSTS", "MASTER_HOST"})
    CHECK_THAT(env_refusal(with(job("worker", "0"), {{name, "x"}})),
               StartsWith(name + std::string{": 'x' is no address"}));
  CHECK_THAT(env_refusal(with(job("worker", "0"), {{"MASTER_HOST", "a:1,b:1"}})),
             Contains("there are 2 masters"));
  CHECK_THAT(env_refusal(with(job("worker", "0"), {{"PS_HOSTS", "w:1"}})),
             Contains("two processes"));
}

TEST_CASE("hosts without JOB_NAME are refused", "[cluster_environment][T6]") {
  CHECK_THAT(env_refusal(without(job("worker", "0"), "JOB_NAME")),
             StartsWith("PS_HOSTS is set, but JOB_NAME is not"));
}

TEST_CASE("torchrun's rank 0 holds the parameters and trains", "[cluster_environment][T3]") {
  for (int rank = 0; rank < 4; ++rank) {
    const auto spec = read_spec(torch(std::to_string(rank), "4"));
    CHECK(spec.source == "torchrun");
    CHECK(spec.ps == Hosts{"a:29500"});
    CHECK(spec.num_workers() == 4);
    CHECK(spec.shard_index() == rank);
    CHECK(spec.trains());
    CHECK(spec.is_master() == (rank == 0));
    CHECK(spec.hosts_holder() == (rank == 0));
    CHECK(spec.local_rank == 1);
  }
}

TEST_CASE("if torchrun itself listens on the port the holder uses the next one",
          "[cluster_environment]") {
  const auto agent = with(torch("1", "2"), {{"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  CHECK(read_spec(agent).ps == Hosts{"a:29501"});
  CHECK_THAT(describe(read_spec(agent)), Contains("torchrun itself listens on MASTER_PORT 29500"));
  CHECK(read_spec(with(agent, {{"MASTER_PORT", "65535"}})).ps == Hosts{"a:65534"});
  CHECK(read_spec(agent, {.port = 7000}).ps == Hosts{"a:7000"});
  CHECK(read_spec(with(agent, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}})).ps == Hosts{"a:29500"});
}

TEST_CASE("an IPv6 address in MASTER_ADDR needs no brackets", "[cluster_environment]") {
  for (auto address : {"::1", "[::1]"})
    CHECK(read_spec(with(torch("1", "2"), {{"MASTER_ADDR", address}})).ps == Hosts{"[::1]:29500"});
}

TEST_CASE("one rank alone is no cluster", "[cluster_environment]") {
  for (const auto& variables : {torch("0", "1"), slurm("0", "1")}) {
    const auto spec = read_spec(variables);
    CHECK(!spec.has_cluster());
    CHECK(spec.is_master());
    CHECK_THAT(describe(spec), Contains("no port is opened"));
  }
}

TEST_CASE("an incomplete or bad rank is refused by name", "[cluster_environment][T8]") {
  CHECK_THAT(env_refusal(without(torch("0", "2"), "RANK")),
             StartsWith("RANK is not set; set both"));
  CHECK_THAT(env_refusal(without(torch("0", "2"), "WORLD_SIZE")),
             StartsWith("WORLD_SIZE is not set"));
  CHECK_THAT(env_refusal(without(torch("0", "2"), "MASTER_ADDR")),
             StartsWith("MASTER_ADDR is not set"));
  CHECK_THAT(env_refusal(without(torch("0", "2"), "MASTER_PORT")),
             StartsWith("MASTER_PORT is not set"));
  CHECK_THAT(env_refusal(torch("2", "2")),
             StartsWith("RANK is 2, but WORLD_SIZE is 2; ranks count"));
  CHECK_THAT(env_refusal(torch("0", "0")), StartsWith("RANK is 0, but WORLD_SIZE is 0"));
  CHECK_THAT(env_refusal(torch("x", "2")), StartsWith("RANK is 'x', not a whole number"));
  CHECK_THAT(env_refusal(torch("0", "2000000")), Contains("start 1 to 1000000"));
  for (auto port : {"x", "0", "65536", "-1"})
    CHECK_THAT(env_refusal(with(torch("0", "2"), {{"MASTER_PORT", port}})),
               Contains("MASTER_PORT"));
  CHECK_THAT(env_refusal(with(torch("0", "2"), {{"MASTER_ADDR", "a b"}})), Contains("MASTER_ADDR"));
  CHECK_THAT(env_refusal(torch("0", "2"), {.port = 0}), Contains("from 1 to 65535"));
}

TEST_CASE("Slurm's tasks meet on the first node of the job", "[cluster_environment]") {
  const auto spec = read_spec(slurm("2", "4"));
  CHECK(spec.source == "Slurm");
  CHECK(spec.ps == Hosts{"n07:20005"});
  CHECK(spec.shard_index() == 2);
  CHECK(spec.num_workers() == 4);
  CHECK(read_spec(slurm("2", "4"), {.port = 7000}).ps == Hosts{"n07:7000"});
  CHECK(read_spec(slurm("2", "4"), {.addresses = {{"n07", "127.0.0.1"}}}).ps
        == Hosts{"127.0.0.1:20005"});
  CHECK(read_spec(with(slurm("2", "4"), {{"SLURM_STEP_NODELIST", "x"}})).ps == Hosts{"x:20005"});
  CHECK(read_spec(with(slurm("2", "4"), {{"SLURM_LOCALID", "3"}})).local_rank == 3);
}

TEST_CASE("a shell in a Slurm job that is not a task is no cluster", "[cluster_environment][T7]") {
  CHECK(!cluster_from_environment(without(slurm("0", "4"), "SLURM_PROCID")));
  CHECK(!cluster_from_environment(without(slurm("0", "4"), "SLURM_NTASKS")));
}

TEST_CASE("a bad variable of Slurm is named", "[cluster_environment][T8]") {
  CHECK_THAT(env_refusal(with(slurm("0", "4"), {{"SLURM_JOB_NODELIST", "n[1-"}})),
             StartsWith("SLURM_JOB_NODELIST: node list 'n[1-' is broken at column 5"));
  CHECK_THAT(env_refusal(without(slurm("0", "4"), "SLURM_JOB_NODELIST")),
             StartsWith("SLURM_JOB_NODELIST is not set"));
  CHECK_THAT(env_refusal(without(slurm("0", "4"), "SLURM_JOB_ID")),
             StartsWith("SLURM_JOB_ID is not set"));
  CHECK_THAT(env_refusal(with(slurm("0", "4"), {{"SLURM_JOB_ID", "x"}})),
             StartsWith("SLURM_JOB_ID is 'x'"));
}

TEST_CASE("mpiexec's ranks are read under both variable names", "[cluster_environment]") {
  const Variables master{{"MASTER_ADDR", "a"}, {"MASTER_PORT", "7000"}};
  const Variables hydra{{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}};
  const Variables open_mpi{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}};
  for (const auto& ranks : {hydra, open_mpi}) {
    const auto spec = read_spec(with(ranks, master));
    CHECK(spec.source == "mpiexec");
    CHECK(spec.shard_index() == 1);
    CHECK(spec.num_workers() == 3);
    CHECK(spec.ps == Hosts{"a:7000"});
    CHECK_THAT(env_refusal(ranks), StartsWith("MASTER_ADDR is not set"));
  }
}

TEST_CASE("mpiexec inside a Slurm job has its own ranks and Slurm's first node",
          "[cluster_environment]") {
  const auto spec = read_spec(with(slurm("0", "2"), {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}}));
  CHECK(spec.shard_index() == 5);
  CHECK(spec.num_workers() == 8);
  CHECK(spec.ps == Hosts{"n07:20005"});
}
