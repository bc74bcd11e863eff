// Configurations: YAML, the command line and the environment over it, what a run makes of them.
#include "apps/config/overrides.hpp"
#include "apps/config/print.hpp"
#include "apps/config/yaml.hpp"
#include "apps/grid/plan.hpp"
#include "apps/run_config/multi_tests.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

namespace troupe::fuzz {

namespace {

/// What is read prints as text that reads back as the same.
void parse_yaml(std::string_view input) {
  const auto single = take_choice(input, 2) == 1;
  accept_or_refuse<Failure>([&] {
    if (single) {
      config::on_one_line(config::read_value(input, "command line"));
      return;
    }
    const auto tree = config::read_yaml(input, "run.yaml");
    config::to_yaml_with_sources(tree);
    if (!(config::read_yaml(config::to_yaml(tree), "again.yaml") == tree))
      report("the text of a configuration is another one's:\n" + config::to_yaml(tree));
  });
}

std::vector<std::string> yaml_seeds() {
  const std::string file(1, '\0'), single(1, '\1');
  return {file + "a: 1\nb: [2, 'x', {c: ~}]\nd:\n  - e\n  - \"f\\n\"\ng: |\n  text\n",
          file + "base: &base {a: 1, b: 2}\nmore:\n  <<: *base\n  c: !!str 3\n",
          file + "? a\n: - b\n# nothing\n\"k e y\": yes\n",
          single + "[64, 32]",
          single + "{a: 1, b: 'c, d'}",
          single + "3e-4"};
}

/// Texts that stand one after the other, with a zero byte between them.
std::vector<std::string> texts_in(std::string_view input) {
  std::vector<std::string> texts;
  for (;;) {
    const auto end = std::min(input.find('\0'), input.size());
    texts.emplace_back(input.substr(0, end));
    if (end == input.size())
      return texts;
    input.remove_prefix(end + 1);
  }
}

/// A configuration that leaves nothing to chance.
config::Node with_seed(config::Node tree) {
  const auto* training = tree.find("training");
  if (training == nullptr || (training->is_map() && training->find("seed") == nullptr))
    config::set(tree, {"training", "seed"}, config::Node::scalar("1"));
  return tree;
}

/// A file, then words of the command line and variables of the environment.
void parse_config(std::string_view input) {
  const auto in_cluster = take_choice(input, 2) == 1;
  accept_or_refuse<Failure>([&] {
    const auto texts = texts_in(input);
    ConfigSources sources;
    sources.in_cluster = in_cluster;
    sources.settings = with_seed(config::read_yaml(texts.front(), "run.yaml"));
    for (std::size_t i = 1; i < texts.size(); ++i)
      if (texts[i].starts_with(config::environment_prefix))
        sources.environment.push_back(texts[i]);
      else if (config::is_override(texts[i]))
        sources.overrides.push_back(texts[i]);
    resume_in(sources);
    const auto config = read_run_config(sources);
    config::to_yaml_with_sources(config.tree);
    trees_of_tests(config.tree);
  });
}

std::vector<std::string> config_seeds() {
  const std::string alone(1, '\0'), in_cluster(1, '\1'), zero(1, '\0');
  return {
    alone + "training: {epochs: 3, batch_size: 32, workers: 2}\nmodel: {hidden: [64, 32]}\n" + zero
      + "optimizer.name=sgd" + zero + "+extensions.printing.every_n_batches=10" + zero
      + "~extensions.progress_bar" + zero + "TROUPE__TRAINING__SEED=7",
    alone
      + "problem: {name: csv, path: a.csv, ignore: [a]}\nmodel:\n  name: layers\n  layers:\n"
        "    - linear: {outputs: 8}\n    - relu\nextensions:\n  mine: {type: early_stopping, "
        "record: validation_loss, patience: 3}\n  checkpoint: {when: each(10 batches)}\n",
    alone
      + "trainer: {name: offline}\nvalidation: {batch_size: 9}\ntesting: {multi_tests: "
        "{problem.seed: [1, 2]}}\nrun: {root: r, tag: t}\ncontrol: {address: '127.0.0.1:0'}\n",
    in_cluster
      + "cluster: {ps: ['a:1'], workers: ['b:1', 'c:1'], wire: {format: int8, chunk: 64}}\n"
        "training: {sampler: {name: subset, indices: 0..10}, clipping: {norm: 1}}\n"
      + zero + "++training.loader.ahead=2" + zero + "resume=latest",
    alone + contents_of(TROUPE_FIXTURES "/../../examples/runs/lenet.yaml"),
    alone + contents_of(TROUPE_FIXTURES "/../../examples/runs/online.yaml"),
    alone + contents_of(TROUPE_FIXTURES "/../../examples/runs/recall.yaml")};
}

/// A grid's file, and its first and last run.
void parse_grid(std::string_view input) {
  accept_or_refuse<Failure>([&] {
    auto tree = config::read_yaml(input, "grid.yaml");
    const GridPlan plan{grid_options(std::move(tree), "grid.yaml"), 17};
    plan.fingerprint();
    for (const auto run : {RunNumber{1}, plan.runs()}) {
      config::to_yaml(plan.settings_of(run));
      plan.folder_of(run);
    }
  });
}

std::vector<std::string> grid_seeds() {
  return {
    contents_of(TROUPE_FIXTURES "/../../examples/grid/digits.yaml"),
    "tasks: [{overwrite: {problem: {train: 64}}}]\nsearch: random\ntrials: 5\nat_once: 2\n"
    "grid:\n  optimizer.learning_rate: {from: 1e-4, to: 0.1, scale: log}\nhalving: {rungs: [1, "
    "3], factor: 2}\n",
    "tasks: [{configs: [no.yaml]}, {overwrite: {model.hidden: [8]}}]\nsearch: latin_hypercube\n"
    "trials: 3\nlisten: '127.0.0.1:2'\nlocal: false\ngrid: {training.batch_size: {from: 8, "
    "to: 64, whole: yes}}\n"};
}

} // namespace

std::vector<Parser> config_parsers() {
  return {{"yaml", parse_yaml, yaml_seeds},
          {"config", parse_config, config_seeds},
          {"grid", parse_grid, grid_seeds}};
}

} // namespace troupe::fuzz
