#include "base/same_secret.hpp"
#include "messages/control/control.hpp"
#include "messages/control/control_command.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace troupe;
using Catch::Contains;

namespace {

using Arguments = std::vector<std::string>;

std::string refusal(const std::string& verb, const Arguments& arguments = {}) {
  try {
    parse_control_command(verb, arguments);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  FAIL("'" << verb << "' was not refused");
  return "";
}

} // namespace

TEST_CASE("each command is parsed from its arguments", "[P15]") {
  CHECK(parse_control_command("status", {}).verb == Verb::status);
  CHECK(parse_control_command("status", {"json"}).json);
  CHECK(parse_control_command("step", {}).batches == 1);
  CHECK(parse_control_command("step", {"3"}).batches == 3);
  CHECK(parse_control_command("stop", {}).level == StopLevel::after_batch);
  CHECK(parse_control_command("stop", {"now"}).level == StopLevel::now);
  CHECK(parse_control_command("evaluate", {"test"}).section == Section::test);
  CHECK(parse_control_command("save", {"a.bin"}).file == "a.bin");
  CHECK(parse_control_command("detach", {"printing"}).name == "printing");
  const auto set = parse_control_command("set", {"learning_rate=1e-3", "at=1000"});
  CHECK(set.settings == std::map<std::string, double>{{"learning_rate", 1e-3}});
  CHECK(set.at == 1000);
  CHECK(set.text == "set learning_rate=1e-3 at=1000");
  const auto attach
    = parse_control_command("attach", {"printing:often", "at=2", "every_n_batches=10"});
  CHECK(attach.type == "printing");
  CHECK(attach.name == "often");
  CHECK(attach.options == Arguments{"every_n_batches=10"});
  CHECK(attach.at == 2);
}

TEST_CASE("a misspelled command is refused with the nearest one", "[P15]") {
  CHECK_THAT(refusal("paus"), Contains("'paus'") && Contains("did you mean 'pause'"));
  CHECK_THAT(refusal("stop", {"after_bacth"}), Contains("did you mean 'after_batch'"));
  CHECK_THAT(refusal("evaluate", {"tests"}), Contains("did you mean 'test'"));
  CHECK_THAT(refusal(""), Contains("--help"));
}

TEST_CASE("arguments that a command does not accept are refused with the cure", "[P15]") {
  CHECK_THAT(refusal("pause", {"please"}), Contains("'please'"));
  CHECK_THAT(refusal("step", {"0"}), Contains("from 1") && Contains("'0'"));
  CHECK_THAT(refusal("step", {"-1"}), Contains("'-1'"));
  CHECK_THAT(refusal("step", {"1e3"}), Contains("'1e3'"));
  CHECK_THAT(refusal("step", {"99999999999999999999"}), Contains("from 1"));
  CHECK_THAT(refusal("resume", {"at=3"}), Contains("at once"));
  CHECK_THAT(refusal("pause", {"at=3", "at=4"}), Contains("twice"));
  CHECK_THAT(refusal("pause", {"at="}), Contains("at="));
  CHECK_THAT(refusal("set"), Contains("learning_rate=0.01"));
  CHECK_THAT(refusal("set", {"learning_rate"}), Contains("sets nothing"));
  CHECK_THAT(refusal("set", {"learning_rate=fast"}), Contains("no number"));
  CHECK_THAT(refusal("set", {"learning_rate=nan"}), Contains("no number"));
  CHECK_THAT(refusal("attach"), Contains("printing"));
  CHECK_THAT(refusal("attach", {"every_n_batches=3"}), Contains("kind"));
  CHECK_THAT(refusal("attach", {"printing:"}), Contains("name"));
  CHECK_THAT(refusal("attach", {"printing", "often"}), Contains("'often'"));
  CHECK_THAT(refusal("detach"), Contains("name"));
  CHECK_THAT(refusal("save", {"../state.bin"}), Contains("run's folder"));
  CHECK_THAT(refusal("save", {".hidden"}), Contains("run's folder"));
  for (const auto* own : {"config.yaml", "log.jsonl", "log.1.jsonl", "state.bin", "control.json",
                          "sources.json", "tags.json"})
    CHECK_THAT(refusal("save", {own}),
               Contains(std::string{"would overwrite '"} + own) && Contains("like before.bin"));
}

TEST_CASE("any arguments give a command or a sentence", "[P15]") {
  std::mt19937 random{1};
  const Arguments pieces{
    "at=", "3", "learning_rate", "=", "printing", ":", "json", "now", "\n", "/",
    "",    "ä", "99999999999",   "-", "0x",       ".", "e",    "nan"};
  auto verbs = control_verbs();
  verbs.emplace_back("ping");
  const auto pick = [&](const auto& from) { return from[random() % from.size()]; };
  for (auto i = 0; i < 5000; ++i) {
    Arguments arguments(random() % 4);
    for (auto& argument : arguments)
      for (auto n = random() % 5; n > 0; --n)
        argument += pick(pieces);
    try {
      const auto command = parse_control_command(pick(verbs), arguments);
      CHECK((!command.at || *command.at >= 1));
    } catch (const std::invalid_argument& e) {
      CHECK(std::string{e.what()}.size() > 20);
    }
  }
}

TEST_CASE("a command at a batch takes effect after it, and extensions see the whole next batch",
          "[P15]") {
  const auto set = moment_of(parse_control_command("set", {"learning_rate=1", "at=7"}));
  CHECK(set.callback == Callback::after_batch);
  CHECK(to_string(set.schedule) == "at(7 batches)");
  CHECK(moment_of(parse_control_command("attach", {"printing", "at=7"})).callback
        == Callback::before_batch);
  CHECK(moment_of(parse_control_command("save", {})).callback == Callback::after_batch);
}

TEST_CASE("two secrets are equal if all their bytes are", "[P15]") {
  CHECK(same_secret("", ""));
  CHECK(same_secret("0123", "0123"));
  CHECK_FALSE(same_secret("0123", ""));
  CHECK_FALSE(same_secret("", "0123"));
  CHECK_FALSE(same_secret("0123", "01230123"));
  CHECK_FALSE(same_secret("01230123", "0123"));
  for (std::size_t place = 0; place < 4; ++place) {
    std::string other = "0123";
    other[place] = 'x';
    CHECK_FALSE(same_secret("0123", other));
  }
}

TEST_CASE("a breakpoint is parsed from one argument or several", "[breakpoint]") {
  CHECK(parse_control_command("break", {"loss is nan"}).breakpoint->text == "loss is nan");
  CHECK(parse_control_command("break", {"loss", ">", "3"}).breakpoint->text == "loss > 3");
  CHECK_FALSE(parse_control_command("break", {}).breakpoint);
  CHECK(parse_control_command("unbreak", {"2"}).breakpoint_number == 2u);
  CHECK_FALSE(parse_control_command("unbreak", {"all"}).breakpoint_number);
  CHECK_THAT(refusal("break", {"loss"}), Contains("write it like 'loss is nan'"));
  CHECK_THAT(refusal("break", {"at=3"}), Contains("at once"));
  CHECK_THAT(refusal("unbreak"), Contains("or all; 'break' lists them"));
  CHECK_THAT(refusal("unbreak", {"-1"}), Contains("'-1'"));
}

TEST_CASE("a client's name in the log is one short line", "[control]") {
  CHECK(shown_client("ann@n1") == "ann@n1");
  CHECK(shown_client("") == "an unnamed client");
  CHECK(shown_client("a\nb\x7f") == "a?b?");
  CHECK(shown_client(std::string(1000, 'x')).size() == 100);
}
