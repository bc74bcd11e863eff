#include "apps/doctor/machine_report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace troupe;
using Catch::Contains;

namespace {

constexpr std::uint64_t mega = 1'000'000, giga = 1000 * mega;

MachineFacts good_machine() {
  MachineFacts facts;
  facts.program = "troupe 1.2.3";
  facts.processor = {"Some Processor", 4, {}, {"AVX2"}};
  facts.memory = {8 * giga, 6 * giga, {}, {}};
  facts.limits = {{}, 4096};
  facts.cards.without = "no driver is loaded";
  facts.disk = {"/home/ann", 100 * giga, "", true, 0.001};
  facts.clock.now = std::chrono::system_clock::time_point{std::chrono::hours{24 * 20000}};
  facts.clock.synchronised = true;
  facts.network = {"n1", "", ""};
  facts.locale = {"C.UTF-8", true, true};
  return facts;
}

MachineCheck check_of(const MachineFacts& facts, const std::string& subject) {
  for (const auto& check : checks_of(facts))
    if (check.subject == subject)
      return check;
  FAIL("nothing is said about " + subject);
  return {};
}

/// A defect and what its cure changes.
struct Defect {
  std::string subject;
  CheckResult result;
  std::string says;
  void (*plant)(MachineFacts& facts);
  void (*cure)(MachineFacts& facts);
};

const std::vector<Defect> defects{
  {"processor", CheckResult::note, "raise its limit",
   [](MachineFacts& facts) { facts.processor.share = 1.5; },
   [](MachineFacts& facts) { facts.processor.share = 4; }},
  {"memory", CheckResult::wrong, "raise it",
   [](MachineFacts& facts) { facts.memory.address_space = 300 * mega; },
   [](MachineFacts& facts) { facts.memory.address_space = 16 * giga; }},
  {"memory", CheckResult::wrong, "raise its limit",
   [](MachineFacts& facts) { facts.memory.container = 64 * mega; },
   [](MachineFacts& facts) { facts.memory.container = 4 * giga; }},
  {"memory", CheckResult::wrong, "end other programs",
   [](MachineFacts& facts) { facts.memory.available = 50 * mega; },
   [](MachineFacts& facts) { facts.memory.available = giga; }},
  {"threads", CheckResult::wrong, "ulimit -u 4096",
   [](MachineFacts& facts) { facts.limits.threads = 20; },
   [](MachineFacts& facts) { facts.limits.threads = 4096; }},
  {"open files", CheckResult::note, "ulimit -Hn 4096",
   [](MachineFacts& facts) { facts.limits.files = 256; },
   [](MachineFacts& facts) { facts.limits.files = 4096; }},
  {"disk", CheckResult::wrong, "change to a folder of yours",
   [](MachineFacts& facts) { facts.disk.refusal = "Permission denied"; },
   [](MachineFacts& facts) { facts.disk.refusal = ""; }},
  {"disk", CheckResult::wrong, "remove files", [](MachineFacts& facts) { facts.disk.free = mega; },
   [](MachineFacts& facts) { facts.disk.free = giga; }},
  {"disk", CheckResult::note, "has no locks", [](MachineFacts& facts) { facts.disk.locks = false; },
   [](MachineFacts& facts) { facts.disk.locks = true; }},
  {"disk", CheckResult::note, "took 2.5 s",
   [](MachineFacts& facts) { facts.disk.seconds_to_write = 2.5; },
   [](MachineFacts& facts) { facts.disk.seconds_to_write = 0.01; }},
  {"network", CheckResult::wrong, "no port can be opened on 127.0.0.1 (Operation not permitted)",
   [](MachineFacts& facts) { facts.network.port_refusal = "Operation not permitted"; },
   [](MachineFacts& facts) { facts.network.port_refusal = ""; }},
  {"network", CheckResult::note, "add it to /etc/hosts",
   [](MachineFacts& facts) { facts.network.lookup_refusal = "Name or service not known"; },
   [](MachineFacts& facts) { facts.network.lookup_refusal = ""; }},
  {"clock", CheckResult::wrong, "set the clock",
   [](MachineFacts& facts) { facts.clock.built = facts.clock.now + std::chrono::hours{1}; },
   [](MachineFacts& facts) { facts.clock.now = facts.clock.built + std::chrono::hours{1}; }},
  {"clock", CheckResult::note, "start chrony",
   [](MachineFacts& facts) { facts.clock.synchronised = false; },
   [](MachineFacts& facts) { facts.clock.synchronised = true; }},
  {"locale", CheckResult::note, "export LC_ALL=C.UTF-8",
   [](MachineFacts& facts) {
     facts.locale = {"xx_XX.UTF-8", false, true};
   },
   [](MachineFacts& facts) {
     facts.locale = {"C.UTF-8", true, true};
   }},
  {"locale", CheckResult::note, "export LC_ALL=C.UTF-8",
   [](MachineFacts& facts) {
     facts.locale = {"C", true, false};
   },
   [](MachineFacts& facts) {
     facts.locale = {"C.UTF-8", true, true};
   }},
};

} // namespace

TEST_CASE("nothing is wrong with a good machine", "[doctor]") {
  const auto checks = checks_of(good_machine());
  CHECK(checks.size() == 11);
  for (const auto& check : checks) {
    CAPTURE(check.subject);
    CHECK(check.result == CheckResult::good);
    CHECK_FALSE(check.text.empty());
  }
  CHECK_FALSE(anything_wrong(checks));
}

TEST_CASE("each defect is named with its cure, and is gone after it", "[doctor]") {
  for (const auto& defect : defects) {
    CAPTURE(defect.subject, defect.says);
    auto facts = good_machine();
    defect.plant(facts);
    const auto check = check_of(facts, defect.subject);
    CHECK(check.result == defect.result);
    CHECK_THAT(check.text, Contains(defect.says));
    CHECK(anything_wrong(checks_of(facts)) == (defect.result == CheckResult::wrong));
    // cure: raise its limit, or start no more workers and threads than that
    // cure: : raise its limit
    // cure: ; end other programs, or train on a larger machine
    // cure: ; raise the limit: ulimit -u 4096
    // cure: ; remove files, or name another disk by
    // cure: from training in one folder; name another disk by run.root
    // cure: disk, as each checkpoint will: name a faster disk by run.root
    // cure: certificates are not valid yet; set the clock
    // cure: machines' logs will not agree; start chrony or systemd-timesyncd, on the host if this
    // is a container
    // cure: ); add it to /etc/hosts, or give nodes of a cluster addresses in place of names
    defect.cure(facts);
    CHECK(check_of(facts, defect.subject).result == CheckResult::good);
  }
}

TEST_CASE("a system that does not tell is not called wrong", "[doctor]") {
  auto facts = good_machine();
  facts.processor.name = "";
  facts.clock.synchronised = {};
  facts.limits = {};
  for (const auto& check : checks_of(facts))
    CHECK(check.result == CheckResult::good);
}

TEST_CASE("the report fits the window, with the text below itself", "[doctor]") {
  auto facts = good_machine();
  for (const auto& defect : defects)
    defect.plant(facts);
  for (const auto width : {40, 60, 80, 200}) {
    const auto report = report_text(checks_of(facts), width);
    std::istringstream lines{report};
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(width, line);
      CHECK(line.size() <= static_cast<std::size_t>(std::max(width, 49)));
      CHECK_FALSE(line.ends_with(' '));
      CHECK((line.starts_with("ok ") || line.starts_with("note ") || line.starts_with("wrong ")
             || line.starts_with(std::string(19, ' '))));
    }
  }
}

TEST_CASE("the report as JSON has a subject, a result and a text for each check", "[doctor]") {
  const auto list = nlohmann::json::parse(report_json(checks_of(good_machine())));
  REQUIRE(list.size() == 11);
  CHECK(list.front()
        == nlohmann::json{{"subject", "program"}, {"result", "ok"}, {"text", "troupe 1.2.3"}});
}
