#include "apps/process/standard_streams.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>

#include <array>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A full pipe.
struct FullPipe {
  FullPipe() {
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    for (bool room = true; room;)
      room = write_while(ends[1], std::string(4096, '.'), [] { return false; });
  }
  ~FullPipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  std::string read(std::size_t bytes) const {
    std::string text(bytes, ' ');
    text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), bytes)));
    return text;
  }

  std::array<int, 2> ends{};
};

/// Shell: `lines` is a full pipe that is never read, as long as this shell lives.
const std::string make_unread_lines
  = "mkfifo lines; exec 9<>lines; dd if=/dev/zero of=lines bs=4096 oflag=nonblock 2>/dev/null\n";

} // namespace

TEST_CASE("a write with no patience does not wait for a reader", "[console]") {
  const FullPipe pipe;
  auto asked = 0;
  CHECK_FALSE(write_while(pipe.ends[1], "a line\n", [&] { return ++asked < 3; }));
  CHECK(asked == 3);
  CHECK_FALSE((fcntl(pipe.ends[1], F_GETFL) & O_NONBLOCK)); // the flag is shared with others
}

TEST_CASE("a write that waits continues once there is a reader", "[console]") {
  const FullPipe pipe;
  CHECK(write_while(pipe.ends[1], "a line\n", [&] { return !pipe.read(4096).empty(); }));
}

TEST_CASE("a run without a reader is saved when it is stopped, and ends", "[console][B45]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(), make_unread_lines
                   + "\"$troupe\" train --json problem.train=2000000 problem.validation=50 "
                     "problem.test=50 model.hidden='[16]' "
                     "extensions.training_monitoring.every_n_batches=1 >lines 2>&1 & program=$!\n"
                     "until grep -q training_loss runs/latest/log.jsonl 2>/dev/null\n"
                     "do kill -0 $program || break; sleep 0.02; done\n"
                     "kill -TERM $program; wait $program; echo $?");
  CHECK(ran.out == "75\n");
  CHECK(std::filesystem::exists(work.path() / "runs/latest/state.bin"));
  CHECK_THAT(contents(work.path() / "runs/latest/console.log"),
             Catch::Contains("interrupted: training ends after this batch"));
}

TEST_CASE("results wait for a reader that comes later", "[console][B45]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), make_unread_lines + "\"$troupe\" train -q --json training.batches=4 "
                           + small_digits
                           + ">lines & program=$!\n"
                             "until test -e runs/latest/result.json\n"
                             "do kill -0 $program || break; sleep 0.02; done\n"
                             "exec 9>&-; cat lines >read & reader=$!\n"
                             "wait $program; echo $?; wait $reader; "
                             "tr -d '\\0' <read");
  CHECK_THAT(ran.out, Catch::StartsWith("0\n{"));
}

TEST_CASE("a program without a reader for its results ends when it is asked to", "[console][B45]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), make_unread_lines + "\"$troupe\" train -q --json training.batches=4 "
                           + small_digits
                           + ">lines & program=$!\n"
                             "until test -e runs/latest/result.json\n"
                             "do kill -0 $program || break; sleep 0.02; done\n"
                             "kill -TERM $program; wait $program; echo $?");
  CHECK(ran.out == "74\n"); // the results are in the run's folder
}

TEST_CASE("a third Ctrl-C ends a program without a reader", "[console][B11]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), make_unread_lines
                           + "\"$troupe\" train problem.train=2000000 problem.validation=50 "
                             "problem.test=10000000 model.hidden='[16]' "
                             "extensions.training_monitoring.every_n_batches=1 "
                             ">lines 2>&1 & program=$!\n"
                             "await() { until grep -q \"$1\" runs/latest/$2 2>/dev/null\n"
                             "do kill -0 $program || break; sleep 0.02; done; }\n"
                             "await training_loss log.jsonl; kill -INT $program\n"
                             "await 'after this epoch' console.log; kill -INT $program\n"
                             "await 'after this batch;' console.log; kill -INT $program\n"
                             "wait $program; echo $?");
  CHECK((ran.out == "75\n" || ran.out == "130\n")); // saved already, or not
}

TEST_CASE("output for a closed console goes into no file of the run", "[console][B42]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), "train training.batches=4 " + small_digits + "2>&-");
  CHECK(ran.code == 0);
  std::istringstream lines{contents(work.path() / "runs/latest/log.jsonl")};
  auto rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    CHECK_THAT(line, Catch::StartsWith("{\"run\":"));
  CHECK(rows > 4);
}

TEST_CASE("a missing output for results is reported, and the run is saved", "[console]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train -q training.batches=4 " + small_digits + ">&- <&-");
  CHECK(ran.code == 74);
  CHECK_THAT(ran.error, Catch::Contains("cannot write the results to standard output"));
  CHECK(troupe_program(work.path(), "train -q --resume latest training.batches=6").code == 0);
}

TEST_CASE("a launched cluster trains without a reader for its output", "[console][L22][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), make_unread_lines
                           + "\"$troupe\" launch -n 2 --insecure --folder own training.epochs=1 "
                           + small_digits + "2>lines; echo $?");
  CHECK_THAT(ran.out, Catch::StartsWith("worker           0 of 2\ntest loss")
                        && Catch::EndsWith("/worker-0\n0\n"));
  CHECK(std::filesystem::exists(work.path() / "own/worker-1/state.bin"));
}
