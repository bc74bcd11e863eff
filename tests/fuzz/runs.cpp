// What runs leave in their folders, and go on from.
#include "apps/config/yaml.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/log_reader.hpp"
#include "apps/folder/logged_values.hpp"
#include "apps/folder/model_file.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/session/cluster_member.hpp"
#include "apps/session/run_end.hpp"
#include "apps/session/trained_model.hpp"
#include "apps/testing/test_files.hpp"
#include "apps/transport/control_listener.hpp"
#include "base/failure.hpp"
#include "base/hash_text.hpp"
#include "messages/checkpoint/found_run.hpp"
#include "messages/checkpoint/saved_header.hpp"
#include "messages/evaluation/best_model.hpp"
#include "messages/grid/grid_journal.hpp"
#include "model/formats/safetensors.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <numeric>

namespace troupe::fuzz {

namespace {

// -- saved states
// -----------------------------------------------------------------------------------

/// Behind a checksum that is wrong no change of a state would ever come.
std::string with_header(std::string_view magic, std::string_view content) {
  SavedHeader header;
  header.size = content.size();
  header.saved_at = 17;
  header.checksum = XXH3_64bits_withSeed(content.data(), content.size(), header.saved_at);
  return (std::string{magic} += header.packed()) += content;
}

void use_run(const std::filesystem::path& path) {
  model_file_text(path); // refuses what is no kept model; a state is used further
}

/// A way to read the rest: as a file, or as the content of one.
void parse_saved(std::string_view input) {
  static const InputFolder folder;
  const auto way = take_choice(input, 3);
  const auto path = folder.write("state.bin", way == 0   ? std::string{input}
                                              : way == 1 ? with_header(run_magic, input)
                                                         : with_header(holder_magic, input));
  const auto nothing = [](const void*, std::size_t) {};
  accept_or_refuse<DataError, IoError>([&] {
    if (way == 2)
      load_holder(path);
    else
      write_safetensors(nothing, trained_parameters(path.string()));
  });
  if (way != 2)
    accept_or_refuse<DataError, IoError>([&] { use_run(path); });
}

SavedRun some_run() {
  SavedTrainer trainer;
  trainer.layout.add("w", {3});
  trainer.layout.add("b", {1});
  const auto block = Block::copy_of(std::vector<float>{1, -0.0f, 1e-38f, 4});
  trainer.parameters = {7, block};
  trainer.optimizer_slots = {{"momentum", block}};
  trainer.position = {7, 2, 200, 1.5, 1.25, {{"tokens", 1e6}}};
  trainer.row = {{"loss", Value{0.1}},
                 {"best", Value{true}},
                 {"n", Value{std::int64_t{-3}}},
                 {"text", Value{std::string{"x"}}}};
  trainer.causes = {"enough"};
  trainer.settings = {{"learning_rate", 0.1}};
  SavedRun run;
  run.trainers = {trainer};
  run.card = ModelCard{.name = "mlp"};
  run.extensions["guard"] = {{"good", block}, {"rewinds", Value{std::int64_t{2}}}};
  run.log = "0123456789abcdef";
  run.shared = SavedHolder{trainer.layout, 3,     5,  {3, 2},          {{1, {4, 2}, {3, 1}}},
                           block,          block, 17, "outer_nesterov"};
  return run;
}

std::vector<std::string> saved_seeds() {
  const std::string file(1, '\0'), content_only(1, '\1'), holder(1, '\2');
  const InputFolder folder;
  const auto path = folder.path() / "state.bin";
  const auto content_of = [&](std::string_view magic) {
    return contents_of(path).substr(magic.size() + SavedHeader::bytes);
  };
  save_run(path, some_run());
  const auto whole = contents_of(path), content = content_of(run_magic);
  save_run(path, some_run(), RunPart::parameters);
  const auto parameters = content_of(run_magic);
  save_holder(path, *some_run().shared);
  return {file + whole, content_only + content, content_only + parameters,
          holder + content_of(holder_magic),
          file + contents_of(TROUPE_FIXTURES "/saved_run_1.bin")};
}

// -- logs
// -------------------------------------------------------------------------------------------

void parse_log(std::string_view input) {
  static InputFile file;
  RunLog log;
  for (auto rest = input; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    log.take(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  log.ended();
  LogReader reader{file.hold(input)};
  each_row(reader, [&log](const LoggedRow& row) {
    log.status(row.row.worker);
    for (const auto& [name, value] : row.records)
      number_of(value);
  });
}

std::vector<std::string> log_seeds() {
  return {R"({"run":"a","id":"0f3c","time":"2026-11-21T03:00:00.000Z"}
{"run":"a","worker":0,"batch":313,"epoch":1,"seconds":2.4,"time":"2026-11-21T03:00:01.000Z","records":{"loss":0.4,"best":true,"n":3,"x":"NaN"}}
{"run":"a","worker":0,"time":"2026-11-21T03:00:02.000Z","status":{"epochs_done":1}}
{"run":"a","id":"77aa","resumed_from":"0f3c","resumed_at":{"0":313},"time":"2026-11-21T03:00:03.000Z"}
{"run":"a","worker":0,"batch":313,"epoch":1,"seconds":null,"time":"2026-11-21T03:00:04.000Z","records":{"loss":0.3}}
{"run":"a","id":"77aa","ended":true,"time":"2026-11-21T03:00:05.000Z"}
)"};
}

// -- journals of grids
// ------------------------------------------------------------------------------

/// With the checksum before each line.
void parse_grid_journal(std::string_view input) {
  std::string text;
  for (auto rest = input; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    text += hash_text(std::as_bytes(std::span{line})) + " ";
    (text += line) += "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const auto& ended : parse_journal(text).ended)
    if (parse_journal(journal_line(ended)).ended.size() != 1)
      report("a journal's line that was read is written as what cannot be read");
  parse_journal(input);
}

std::vector<std::string> journal_seeds() {
  const auto without_checksum = [](const std::string& line) { return line.substr(17); };
  TrialEnded ended{1, 1, 0, TrialOutcome::done, "why", 0.5, 1.5, "2026-01-31T12:00:00.000Z", "n1"};
  auto failed = ended;
  failed.outcome = TrialOutcome::failed;
  failed.score = std::numeric_limits<double>::infinity();
  return {without_checksum(journal_line(GridIdentity{"5be1", 17, "2026-01-31T12:00:00.000Z"}))
          + without_checksum(journal_line(ended)) + without_checksum(journal_line(failed))};
}

// -- small files
// ------------------------------------------------------------------------------------

/// A file of a run's folder, by its name.
void parse_in_folder(std::string_view input) {
  static const InputFolder folder;
  static const auto problem = config::read_yaml("name: csv", "config.yaml");
  static const auto begun = folder.write("config.yaml", "problem: {name: csv}\n");
  switch (take_choice(input, 5)) {
  case 0:
    folder.write("result.json", input);
    accept_or_refuse<Failure>([&] {
      written_reason(folder.path());
      FoundRun found{folder.path() / saved_run_file, some_run(), {}};
      written_end(folder.path(), found, RunConfig{});
    });
    return;
  case 1:
    folder.write("problem.json", input);
    accept_or_refuse<Failure>([&] {
      fit_in(folder.path(), problem);
      problem_metadata(folder.path().string());
    });
    return;
  case 2:
    folder.write("cluster.json", input);
    accept_or_refuse<Failure>([&] { check_claim(folder.path(), nullptr); });
    return;
  case 3: {
    const auto file = folder.write("control.json", input);
    accept_or_refuse<Failure>([&] { read_control_file(file); });
    return;
  }
  default:
    std::filesystem::create_directories(folder.path() / "test_2026-01-31T12-00-00Z");
    const auto half = std::min(input.find('\n'), input.size());
    folder.write("test_2026-01-31T12-00-00Z/testing_configuration.yaml", input.substr(0, half));
    folder.write("test_2026-01-31T12-00-00Z/testing_set_agg_statistics.csv",
                 input.substr(std::min(half + 1, input.size())));
    accept_or_refuse<Failure>([&] { read_tests(folder.path()); });
  }
}

std::vector<std::string> folder_seeds() {
  const std::string result(1, '\0'), problem(1, '\1'), claim(1, '\2'), control(1, '\3'),
    test(1, '\4');
  return {result + R"({"outcome": "finished", "reason": "2 epochs are done", "batches": 7})",
          problem + R"({"problem": "csv", "data": "0f3a9c01", "target": {"classes": ["x", "y"]}})",
          problem + R"({"problem": "images", "data": "0f3a9c01", "classes": ["x", "y"]})",
          claim + R"({"workers": 3, "worker": 1})",
          claim + R"({"workers": 3, "holders": 2})",
          control + R"({"address": "127.0.0.1:4711", "token": "0f3a", "tls": true, "process": 1})",
          test
            + "# section test, parameters 0123456789abcdef, model models/model_best.bin\n"
              "episode,episodes_aggregated,loss\n0,1,0.5\n"};
}

} // namespace

std::vector<Parser> run_parsers() {
  return {{"saved", parse_saved, saved_seeds},
          {"log", parse_log, log_seeds},
          {"journal", parse_grid_journal, journal_seeds},
          {"folder", parse_in_folder, folder_seeds}};
}

} // namespace troupe::fuzz
