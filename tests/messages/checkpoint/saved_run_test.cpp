#include "base/files/durable_file.hpp"
#include "base/hash_text.hpp"
#include "messages/checkpoint/found_run.hpp"
#include "messages/checkpoint/saved_header.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>

using namespace troupe;
using namespace troupe::test;

namespace {

SavedRun some_run(Step batches = 7) {
  SavedRun run;
  SavedTrainer trainer;
  trainer.layout.add("w", {3});
  trainer.layout.add("b", {1});
  trainer.parameters = {batches, Block::copy_of(std::vector<float>{1, -0.0f, 1e-38f, 4})};
  trainer.optimizer_steps = batches;
  trainer.optimizer_slots = {{"momentum", Block::copy_of(std::vector<float>{4, 3, 2, 1})}};
  trainer.position.batches = batches;
  trainer.row = {{"loss", Value{0.1}}, {"best", Value{true}}, {"n", Value{std::int64_t{-3}}}};
  trainer.causes = {"enough"};
  run.trainers = {trainer};
  run.extensions["timing"] = {{"begun", Value{true}},
                              {"name", Value{std::string{"x"}}},
                              {"kept", Block::copy_of(std::vector<float>{-1, 0.5f})}};
  run.log = "0123456789abcdef";
  return run;
}

void damage(const std::filesystem::path& from, const std::filesystem::path& to, std::size_t bit) {
  auto bytes = contents(from);
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  std::ofstream{to, std::ios::binary} << bytes;
}

/// Flips a bit of a file in place, since rewriting the file would synchronise it each time.
void flip(const std::filesystem::path& path, std::size_t bit) {
  std::fstream file{path, std::ios::binary | std::ios::in | std::ios::out};
  const auto at = static_cast<std::streamoff>(bit / 8);
  file.seekg(at);
  const auto byte = static_cast<char>(file.get() ^ (1 << bit % 8));
  file.seekp(at);
  file.put(byte);
}

/// The sentence with which a file is refused; "" if it is read.
std::string sentence_about(const std::filesystem::path& path) {
  try {
    load_run(path);
    return {};
  } catch (const DataError& e) {
    return e.what();
  }
}

} // namespace

TEST_CASE("a saved run is read back bit for bit, with the state of its extensions", "[B42][B45]") {
  WorkFolder work;
  const auto run = some_run();
  const auto bytes = save_run(work.path() / "run.bin", run);
  CHECK(bytes == std::filesystem::file_size(work.path() / "run.bin"));
  CHECK(load_run(work.path() / "run.bin") == run);
}

TEST_CASE("a kept model comes back with its card", "[best_model][M39]") {
  WorkFolder work;
  auto run = some_run();
  run.card = ModelCard{"mlp",
                       "2026-01-02T03:04:05Z",
                       99,
                       0.25,
                       "Not Converged",
                       "2026-01-02T03:04:06Z",
                       "loss 1 [Training]",
                       "loss 0.25 [Full Validation]",
                       "Not Converged; interrupted"};
  save_run(work.path() / "model.bin", run);
  CHECK(load_run(work.path() / "model.bin") == run);
}

TEST_CASE("a file of parameters holds them and their names alone", "[B43]") {
  WorkFolder work;
  const auto run = some_run();
  save_run(work.path() / "parameters.bin", run, RunPart::parameters);
  const auto read = load_run(work.path() / "parameters.bin");
  CHECK(read.trainers.at(0).parameters == run.trainers.at(0).parameters);
  CHECK(read.trainers.at(0).layout == run.trainers.at(0).layout);
  CHECK(read.trainers.at(0).optimizer_slots.empty());
  CHECK(read.extensions.empty());
}

TEST_CASE("the parameters of a run are read without what only training needs", "[B43]") {
  WorkFolder work;
  auto run = some_run();
  run.trainers.push_back(some_run(8).trainers.front());
  save_run(work.path() / "state.bin", run);
  const auto read = run_at(work.path(), {checkpoint_file}, RunPart::parameters).run;
  REQUIRE(read.trainers.size() == 1);
  auto expected = run.trainers.front();
  expected.optimizer_slots.clear();
  CHECK(read.trainers.front() == expected);
}

TEST_CASE("any flipped bit in a saved run is refused with a sentence", "[B42]") {
  WorkFolder work;
  const auto file = work.path() / "run.bin";
  save_run(file, some_run());
  const auto bits = std::filesystem::file_size(file) * 8;
  std::mt19937_64 random{1};
  const auto begins = "the saved run '" + file.string() + "' ";
  const std::string cure = "; resume from another one, or start a new run";
  for (auto round = 0; round < 10'000; ++round) {
    const auto bit = random() % bits;
    flip(file, bit);
    const auto sentence = sentence_about(file);
    flip(file, bit);
    const auto said = sentence.starts_with(begins) && sentence.ends_with(cure)
                      && sentence.size() > begins.size() + cure.size();
    INFO("bit " << bit << ": " << sentence);
    CHECK(said);
  }
  CHECK(load_run(file) == some_run());
}

TEST_CASE("a truncated saved run is refused", "[B42]") {
  WorkFolder work;
  const auto file = work.path() / "run.bin", other = work.path() / "other.bin";
  save_run(file, some_run());
  const auto bytes = contents(file);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    std::ofstream{other, std::ios::binary} << bytes.substr(0, length);
    INFO("cut to " << length);
    CHECK_THROWS_AS(load_run(other), DataError);
  }
  std::ofstream{other, std::ios::binary} << bytes << "x";
  CHECK_THROWS_AS(load_run(other), DataError);
}

TEST_CASE("a saved run of another format is refused with both versions, its path and the cure",
          "[B42]") {
  WorkFolder work;
  const auto file = work.path() / "run.bin";
  save_run(file, some_run());
  auto bytes = contents(file);
  bytes[std::string_view{"troupe saved run\n"}.size()] = 6;
  std::ofstream{file, std::ios::binary} << bytes;
  CHECK_THROWS_WITH(load_run(file),
                    Catch::Contains("'" + file.string() + "' has format 6, this program reads 1")
                      && Catch::Contains("resume from another one, or start a new run"));
}

TEST_CASE("a file of another program is named with the cure", "[B44]") {
  WorkFolder work;
  const auto file = work.path() / "m.pt";
  const auto told = [&file](std::string_view bytes, const std::string& sentence) {
    std::ofstream{file, std::ios::binary} << bytes;
    CHECK_THROWS_WITH(load_run(file), Catch::Contains(sentence));
  };
  told("PK\x03\x04 archive/data.pkl", "it is what torch.save writes; save its parameters with");
  told("PK\x03\x04 weights.npy", "it is a ZIP archive; if it contains NumPy arrays");
  told(std::string_view{"\x10\0\0\0\0\0\0\0{\"a\": 1}       ", 24}, "its name end in .safetensors");
  told("state of mind", "was not written by Troupe; resume from another one, or start a new run");
}

TEST_CASE("the newest intact state of a folder is found, and damaged ones are named",
          "[B42][B45]") {
  using namespace std::chrono_literals;
  WorkFolder work;
  const auto newest = work.path() / "checkpoint.bin", older = work.path() / "checkpoint.1.bin",
             first = work.path() / "state.bin";
  save_run(first, some_run(1));
  save_run(older, some_run(2));
  save_run(newest, some_run(3));
  std::ofstream{work.path() / "notes.txt"} << "no state";
  CHECK(newest_run(work.path()).run.trainers.at(0).position.batches == 3);
  CHECK(warnings_of(newest_run(work.path())).empty());

  damage(newest, newest, 999);
  auto found = newest_run(work.path());
  CHECK(found.path == older);
  REQUIRE(found.refused.size() == 1);
  CHECK_THAT(found.refused.front(), Catch::Contains("checkpoint.bin' is damaged"));
  CHECK(warnings_of(found)
        == std::vector{found.refused.front(), "the newest intact one is used: " + older.string()});

  std::ofstream{older} << "";
  std::filesystem::last_write_time(older, std::filesystem::last_write_time(first) + 1s);
  found = newest_run(work.path());
  CHECK(found.path == first);
  CHECK(found.refused.size() == 2);

  std::filesystem::remove(first);
  CHECK_THROWS_AS(newest_run(work.path()), DataError);
}

TEST_CASE("the newest state is the one saved last, whatever the files' times are", "[B42][B45]") {
  using namespace std::chrono_literals;
  WorkFolder work;
  const auto newest = work.path() / "checkpoint.bin", older = work.path() / "checkpoint.1.bin";
  save_run(older, some_run(2));
  save_run(newest, some_run(3));
  std::filesystem::last_write_time(older, std::filesystem::last_write_time(newest) + 1h);
  CHECK(newest_run(work.path()).path == newest);

  // From a machine whose clock is ahead: a state that continues it is newer nevertheless.
  const auto ahead = saved_at_of(newest) + 100'000'000; // ns
  note_saved_at(ahead);
  save_run(older, some_run(4));
  CHECK(saved_at_of(older) > ahead);
  CHECK(newest_run(work.path()).path == older);
  std::this_thread::sleep_for(100ms); // otherwise states of other cases would be ahead of the
                                      // clock, too
}

TEST_CASE("a checkpoint of another name is found by it, its predecessors too", "[B42][B45]") {
  WorkFolder work;
  const auto newest = work.path() / "mine.bin", older = work.path() / "mine.1.bin";
  save_run(older, some_run(2));
  save_run(newest, some_run(3));
  save_run(work.path() / "mine_parameters.bin", some_run(4), RunPart::parameters);
  CHECK(states_in(work.path()).empty());
  CHECK(newest_run(work.path(), {"mine.bin"}).path == newest);
  std::ofstream{newest} << "";
  CHECK(states_in(work.path(), {"checkpoint.bin", "mine.bin"}).size() == 2);
  CHECK(newest_run(work.path(), {"mine.bin"}).path == older);
}

TEST_CASE("a name that only begins like a checkpoint's is no checkpoint", "[B45]") {
  WorkFolder work;
  for (const auto* name : {"log.jsonl", "log.1", "log.1.jsonl", "log"})
    std::ofstream{work.path() / name} << "";
  const auto states = states_in(work.path(), {"log"});
  CHECK(std::set<std::filesystem::path>(states.begin(), states.end())
        == std::set<std::filesystem::path>{work.path() / "log", work.path() / "log.1"});
}

TEST_CASE("a run resumes from its state, not from the parameters beside it", "[B43][B45]") {
  using namespace std::chrono_literals;
  WorkFolder work;
  const auto state = work.path() / "checkpoint.bin",
             parameters = work.path() / "checkpoint_parameters.bin";
  save_run(state, some_run(3));
  save_run(parameters, some_run(3), RunPart::parameters);
  std::filesystem::last_write_time(parameters, std::filesystem::last_write_time(state) + 1s);
  CHECK(newest_run(work.path()).path == state);
  std::filesystem::remove(state);
  CHECK_THROWS_AS(newest_run(work.path()), IoError);
}

TEST_CASE("a folder without a state is refused by name", "[B44]") {
  WorkFolder work;
  CHECK_THROWS_WITH(newest_run(work.path()), Catch::Contains("there is no state.bin"));
  CHECK_THROWS_AS(newest_run(work.path() / "none"), IoError);
}

TEST_CASE("a file that only has the name of a checkpoint is no state", "[B44]") {
  WorkFolder work;
  const auto state = work.path() / "state.bin", other = work.path() / "checkpoint.txt";
  save_run(state, some_run(1));
  std::ofstream{other} << "no state";
  std::filesystem::last_write_time(other, std::filesystem::last_write_time(state)
                                            + std::chrono::seconds{1});
  CHECK(newest_run(work.path()).refused.empty());
}

TEST_CASE("a durable file that is not committed leaves the old one as it was", "[B42]") {
  WorkFolder work;
  write_file(work.path() / "x", "old");
  {
    DurableFile file{work.path() / "x"};
    file.write("new", 3);
  }
  CHECK(contents(work.path() / "x") == "old");
  CHECK(std::distance(std::filesystem::directory_iterator{work.path()}, {}) == 1);
  {
    DurableFile file{work.path() / "x"};
    file.write("....new", 7);
    file.write_at(0, "very", 4);
    CHECK(contents(work.path() / "x") == "old");
    file.commit();
  }
  CHECK(contents(work.path() / "x") == "verynew");
  CHECK_THROWS_AS(DurableFile{work.path() / "none" / "x"}, IoError);
}

TEST_CASE("a durable file does not replace a pipe, a device or a folder", "[B42]") {
  WorkFolder work;
  const auto pipe = work.path() / "pipe", link = work.path() / "link";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink(pipe, link);
  CHECK_THROWS_WITH(write_file(pipe, "x"), Catch::Contains("a device, a pipe or a socket"));
  CHECK_THROWS_WITH(write_file(link, "x"), Catch::Contains("a device, a pipe or a socket"));
  CHECK_THROWS_WITH(write_file(work.path(), "x"), Catch::Contains("is a folder"));
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(std::filesystem::is_symlink(link));
}

// The last one: where the clock is behind that day, all that is saved after it was read is ahead.
TEST_CASE("a state that a program of an earlier day has saved is read", "[B42][B45]") {
  const auto run = load_run(TROUPE_FIXTURES "/saved_run_1.bin");
  const auto hash = [](const Block& block) { return hash_text(std::as_bytes(block.view())); };
  CHECK(run.log == "01e665673d286612a1827e456f2001ce");
  REQUIRE(run.trainers.size() == 2);
  const auto& trainer = run.trainers[0];
  CHECK(trainer.layout.find("linear1.bias")->offset == 795);
  CHECK(hash(trainer.parameters.values) == "fce7ccfdbc157ec0");
  CHECK(hash(run.trainers[1].parameters.values) == "b8ca2f189ba683ef");
  CHECK(trainer.position.batches == 4);
  CHECK(trainer.position.epochs == 2);
  CHECK(trainer.position.examples == 64);
  CHECK(trainer.cursor == 4);
  CHECK(trainer.optimizer_steps == 4);
  REQUIRE(trainer.optimizer_slots.size() == 2);
  CHECK(trainer.optimizer_slots[1].name == "variance");
  CHECK(trainer.optimizer_slots[1].values.size() == 805);
  CHECK(trainer.settings.at("beta2") == Approx(0.999));
  CHECK(trainer.totals.batches == 4);
  CHECK(trainer.totals.weight == 64);
  CHECK(trainer.epoch_ends == "2 4");
  CHECK(run.extensions.at("timing@1").at("last_epoch.epochs") == SavedField{std::int64_t{2}});
  REQUIRE(run.shared);
  CHECK(run.shared->version == 6);
  CHECK(hash(run.shared->values) == "fce7ccfdbc157ec0");
  REQUIRE(run.shared->workers.size() == 2);
  CHECK(run.shared->workers[0].journal == std::vector<std::uint64_t>{3});
}

TEST_CASE("a state with a damaged time is named, whatever its age", "[B42]") {
  WorkFolder work;
  const auto newest = work.path() / checkpoint_file, older = work.path() / "checkpoint.1.bin";
  save_run(older, some_run(7));
  save_run(newest, some_run(8));
  const auto last = work.path() / saved_run_file;
  const auto time_at = run_magic.size() + 4 + 8 + 8;
  for (const auto& damaged : {newest, last}) {
    for (std::size_t bit = 8 * time_at; bit < 8 * (time_at + 8); ++bit) {
      save_run(damaged, some_run(9));
      flip(damaged, bit);
      const auto found = newest_run(work.path());
      INFO("bit " << bit);
      REQUIRE(found.refused.size() == 1);
      CHECK_THAT(found.refused.front(), Catch::Contains("'" + damaged.string() + "' is damaged"));
    }
    save_run(newest, some_run(8));
  }
}

TEST_CASE("predecessors are not read to find the newest state", "[B42]") {
  WorkFolder work;
  save_run(work.path() / "checkpoint.2.bin", some_run(6));
  save_run(work.path() / "checkpoint.1.bin", some_run(7));
  save_run(work.path() / checkpoint_file, some_run(8));
  flip(work.path() / "checkpoint.2.bin", 8 * 60);
  CHECK(newest_run(work.path()).refused.empty());
}
