// What a fuzzer feeds: the parsers of all that comes from outside, each by a word.
//
// A parser accepts its input, or refuses it with an exception of ours that has a sentence. Anything
// else is a finding: another exception, a crash, a report of a sanitizer, too much memory or time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::fuzz {

struct Parser {
  std::string name;                    ///< the word: --parser=csv
  void (*parse)(std::string_view);     ///< reads an input
  std::vector<std::string> (*seeds)(); ///< inputs to begin with
};

// One function for each source of this folder.
std::vector<Parser> array_parsers();   ///< safetensors, npy, npz, idx
std::vector<Parser> cluster_parsers(); ///< node_list, environment
std::vector<Parser> config_parsers();  ///< yaml, config, grid
std::vector<Parser> peer_parsers();    ///< message, mail, holder, block
std::vector<Parser> run_parsers();     ///< saved, log, journal, folder, control
std::vector<Parser> table_parsers();   ///< csv, fit, text, png
std::vector<Parser> word_parsers();    ///< schedule, words

/// Ends the process: the fuzzer keeps the input.
[[noreturn]] void report(const std::string& finding);

/// Reports what a person could not read as a sentence, such as "stoi".
void check_sentence(std::string_view sentence);

/// Runs `parse`, which may refuse with one of these exceptions. Whatever else it throws ends the
/// process where it is thrown, so that the report has its stack.
template <class Refusal, class... Others, class Parse>
void accept_or_refuse(Parse parse) {
  try {
    if constexpr (sizeof...(Others) == 0)
      parse();
    else
      accept_or_refuse<Others...>(parse);
  } catch (const Refusal& refusal) {
    check_sentence(refusal.what());
  }
}

} // namespace troupe::fuzz
