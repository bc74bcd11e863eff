// What a launcher tells a process.
#include "messages/cluster/cluster_environment.hpp"
#include "messages/cluster/slurm.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace troupe::fuzz {

namespace {

void parse_node_list(std::string_view input) {
  accept_or_refuse<std::invalid_argument>([&] {
    const auto names = expand_node_list(input);
    if (names.empty() || names.size() > most_nodes
        || std::any_of(names.begin(), names.end(), [](const auto& name) {
             return name.empty() || name.size() > longest_node_name;
           }))
      report("a list of nodes that has no names, or too many or too long ones");
  });
}

std::vector<std::string> node_list_seeds() {
  return {"n[1-3,7],login", "gpu[001-010]x", "r[1-2]n[01-03]", "a-b.c_d"};
}

/// Each line is a variable, NAME=value; of TF_CONFIG the value is the rest of the input.
std::map<std::string, std::string> variables_in(std::string_view input) {
  std::map<std::string, std::string> variables;
  while (!input.empty()) {
    const auto end
      = std::min(input.starts_with("TF_CONFIG=") ? input.size() : input.find('\n'), input.size());
    const auto line = input.substr(0, end);
    const auto equals = std::min(line.find('='), line.size());
    variables[std::string{line.substr(0, equals)}] = line.substr(std::min(equals + 1, line.size()));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return variables;
}

void parse_environment(std::string_view input) {
  const auto way = take_choice(input, 4);
  ClusterDefaults defaults;
  if ((way & 1) != 0)
    defaults.port = 4711;
  defaults.required = (way & 2) != 0;
  defaults.addresses = {{"n1", "10.0.0.1"}};
  accept_or_refuse<std::invalid_argument>([&] {
    const auto variables = variables_in(input);
    job_end(variables);
    const auto spec = cluster_from_environment(variables, defaults);
    if (!spec)
      return;
    check(*spec);
    describe(*spec);
    for (const auto* list : {&spec->ps, &spec->workers, &spec->masters})
      for (const auto& address : *list)
        if (!(parse_endpoint(to_string(parse_endpoint(address))) == parse_endpoint(address)))
          report("the text of an address is another one's: " + address);
    spec->last_worker_as_evaluator();
  });
}

std::vector<std::string> environment_seeds() {
  const std::string way(1, '\0');
  return {
    way + R"(TF_CONFIG={"cluster": {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1", "d:1"]},
"task": {"type": "worker", "index": 1, "trial": "7"}})",
    way + R"(TF_CONFIG={"cluster": {"ps": "b:1, [::1]:2", "worker": "c:1"}, "task": {"type": "ps",
"index": 0, "trial": 3}})",
    way + "JOB_NAME=worker\nTASK_INDEX=1\nPS_HOSTS=a:1\nWORKER_HOSTS=b:1,c:1\nMASTER_HOST=d:1",
    way
      + "RANK=1\nWORLD_SIZE=4\nLOCAL_RANK=1\nMASTER_ADDR=10.0.0.1\nMASTER_PORT=29500\n"
        "TORCHELASTIC_USE_AGENT_STORE=True",
    way + "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=2\nMASTER_ADDR=::1\nMASTER_PORT=7",
    way + "PMI_RANK=1\nPMI_SIZE=2\nSLURM_JOB_NODELIST=n[1-2]\nSLURM_JOB_ID=123456",
    "\1SLURM_PROCID=1\nSLURM_NTASKS=4\nSLURM_LOCALID=0\nSLURM_STEP_NODELIST=n[1-4]\n"
    "SLURM_JOB_END_TIME=1795430428"};
}

} // namespace

std::vector<Parser> cluster_parsers() {
  return {{"node_list", parse_node_list, node_list_seeds},
          {"environment", parse_environment, environment_seeds}};
}

} // namespace troupe::fuzz
