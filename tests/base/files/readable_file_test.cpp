#include "base/files/readable_file.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace troupe;

namespace {

std::string text_at(const ReadableFile& file, std::uint64_t offset, std::size_t length) {
  std::string text(length, '?');
  text.resize(file.read_at(offset, std::as_writable_bytes(std::span{text})));
  return text;
}

} // namespace

TEST_CASE("a file is read in pieces, as far as it goes", "[files]") {
  const test::WorkFolder work;
  const auto path = work.path() / "file";
  std::ofstream{path} << "0123456789";
  const auto file = ReadableFile::open(path);
  REQUIRE(file);
  CHECK(file->size() == 10);
  CHECK(text_at(*file, 3, 4) == "3456");
  CHECK(text_at(*file, 8, 4) == "89");
  CHECK(text_at(*file, 20, 4).empty());
}

TEST_CASE("an open file stays the same if another one takes its name", "[files]") {
  const test::WorkFolder work;
  const auto path = work.path() / "file", other = work.path() / "other";
  std::ofstream{path} << "old";
  std::ofstream{other} << "newer";
  const auto file = ReadableFile::open(path);
  std::filesystem::rename(other, path);
  REQUIRE(file);
  CHECK(text_at(*file, 0, 10) == "old");
}

TEST_CASE("a file that is not there, or is a folder, gives no bytes", "[files]") {
  const test::WorkFolder work;
  CHECK_FALSE(ReadableFile::open(work.path() / "none"));
  const auto folder = ReadableFile::open(work.path());
  CHECK((!folder || text_at(*folder, 0, 10).empty()));
}
