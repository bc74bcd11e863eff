// What people write in a line: schedules, lengths of time, acts of remote control.
#include "base/text/duration.hpp"
#include "messages/cluster/slurm.hpp"
#include "messages/control/control_command.hpp"
#include "messages/schedule/due.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

#include <sstream>
#include <stdexcept>

namespace troupe::fuzz {

namespace {

/// A schedule prints as text that reads back as the same, and says when it is due.
void parse_schedules(std::string_view input) {
  accept_or_refuse<std::invalid_argument>([&] {
    const std::vector<std::string> registered{"tokens"};
    const auto schedule = parse_schedule(input, registered);
    if (!(parse_schedule(to_string(schedule), registered) == schedule))
      report("the text of a schedule is another schedule's: " + to_string(schedule));
    Position now;
    now.timelines["tokens"] = 0;
    Due due{schedule, now};
    for (const double far : {1.0, 10.0, 1e3, 1e9}) {
      now.batches = now.epochs = now.examples = static_cast<std::uint64_t>(far);
      now.seconds = now.training_seconds = now.timelines["tokens"] = far + 0.5;
      if (due.possible(now))
        due.advance(now);
      due.exhausted();
    }
  });
}

std::vector<std::string> schedule_seeds() {
  return {"each(10 batches) & ~at(20, 30 batches)", "each(2.5 seconds) | at(1 epochs)",
          "~(always | never) & each(7 tokens)", "each(3) | each(4) & ~each(5) | at(1e6 examples)",
          "at(0.5, 1e3 training_seconds)"};
}

std::vector<std::string> lines_of_text(std::string_view text) {
  std::istringstream stream{std::string{text}};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// The first line is the verb, the others its arguments.
void parse_act(std::string_view text) {
  const auto lines = lines_of_text(text);
  const auto command
    = parse_control_command(lines.empty() ? "" : lines.front(),
                            lines.empty() ? lines : std::vector(lines.begin() + 1, lines.end()));
  moment_of(command);
}

void parse_time(std::string_view text) {
  const auto length = parse_duration(text);
  if (parse_duration(print_duration(length)) != length)
    report("the printed duration reads back as another one: " + print_duration(length));
  clock_text(length);
  timespan_of(length.count());
}

void parse_words(std::string_view input) {
  const auto kind = take_choice(input, 3);
  accept_or_refuse<std::invalid_argument>([&] {
    if (kind == 0)
      parse_act(input);
    else if (kind == 1)
      parse_time(input);
    else
      job_end(std::chrono::system_clock::time_point{}, input);
  });
}

std::vector<std::string> word_seeds() {
  const std::string act(1, '\0'), time(1, '\1'), slurm(1, '\2');
  std::vector<std::string> seeds;
  for (const auto* text : {"pause\nat=10", "step\n3", "stop\nafter_epoch\nat=7", "status\njson",
                           "set\nlearning_rate=0.01\nat=5", "save\nbefore.bin", "evaluate\ntest",
                           "attach\nprinting:often\nevery_n_batches=10", "detach\noften", "ping"})
    seeds.push_back(act + text);
  for (const auto* text : {"90", "15m", "1.5h", "12:00:00", "1-12:00:00", "250ms", "inf"})
    seeds.push_back(time + text);
  for (const auto* text : {"90", "90:00", "12:00:00", "1-12", "1-12:30", "UNLIMITED"})
    seeds.push_back(slurm + text);
  return seeds;
}

} // namespace

std::vector<Parser> word_parsers() {
  return {{"schedule", parse_schedules, schedule_seeds}, {"words", parse_words, word_seeds}};
}

} // namespace troupe::fuzz
