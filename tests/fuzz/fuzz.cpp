// troupe_fuzz --parser=WORD [libFuzzer's flags and folders]: docs/how-to/fuzzing.md.
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>

namespace troupe::fuzz {

namespace {

/// In the order of their names.
std::vector<Parser> all_parsers() {
  std::vector<Parser> all;
  for (auto parsers : {array_parsers, cluster_parsers, config_parsers, peer_parsers, run_parsers,
                       table_parsers, word_parsers})
    for (auto& parser : parsers())
      all.push_back(std::move(parser));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

/// The parser of this process.
Parser& chosen_parser() {
  static Parser parser;
  return parser;
}

[[noreturn]] void list_parsers() {
  for (const auto& parser : all_parsers())
    std::cout << parser.name << "\n";
  std::cout.flush();
  std::_Exit(EXIT_SUCCESS);
}

void choose(const std::string& word) {
  const auto all = all_parsers();
  const auto found
    = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == word; });
  if (found == all.end()) {
    std::cerr << "troupe_fuzz: there is no parser '" << word << "'; --parsers lists all"
              << std::endl;
    std::_Exit(2);
  }
  chosen_parser() = *found;
}

/// libFuzzer's flag for the parser's seeds, which it reads once and leaves as they are, so that
/// the same seed of chance gives the same inputs.
std::string& seeds_flag() {
  static InputFolder folder;
  static std::string flag;
  std::string list;
  for (const auto& seed : chosen_parser().seeds()) {
    const auto name = "seed-" + std::to_string(std::count(list.begin(), list.end(), ',') + 1);
    list += (list.empty() ? "" : ",") + folder.write(name, seed).string();
  }
  flag = "-seed_inputs=@" + folder.write("list", list).string();
  return flag;
}

} // namespace

void report(const std::string& finding) {
  std::cerr << "a finding: " << finding << std::endl;
  std::abort();
}

void check_sentence(std::string_view sentence) {
  constexpr std::size_t shortest_sentence = 12, longest_sentence = std::size_t{1} << 16;
  if (sentence.size() < shortest_sentence || sentence.size() > longest_sentence
      || std::count(sentence.begin(), sentence.end(), ' ') < 2)
    report("no sentence, but '" + std::string{sentence.substr(0, 200)} + "'");
}

} // namespace troupe::fuzz

// -- what libFuzzer calls
// ---------------------------------------------------------------------------

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  using namespace troupe::fuzz;
  constexpr std::string_view flag = "--parser=";
  static std::vector<char*> passed;
  std::string word;
  for (int i = 0; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument == "--parsers")
      list_parsers();
    if (argument.starts_with(flag))
      word = argument.substr(flag.size());
    passed.push_back((*arguments)[i]); // also ours, for the processes that libFuzzer starts itself
  }
  choose(word);
  passed.push_back(seeds_flag().data());
  passed.push_back(nullptr);
  *count = static_cast<int>(passed.size()) - 1;
  *arguments = passed.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  troupe::fuzz::chosen_parser().parse({reinterpret_cast<const char*>(data), size});
  return 0;
}

// NOLINTEND(readability-identifier-naming)
