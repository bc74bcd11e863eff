#include "base/failure.hpp"
#include "base/files/mapped_file.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace troupe;
using Catch::Matchers::Contains;

TEST_CASE("a mapped file has the bytes of the file, also after it was moved", "[mapped_file]") {
  const test::DataFolder folder;
  MappedFile file(folder.write("x", "some bytes"));
  auto moved = std::move(file);
  CHECK(moved.bytes() == "some bytes");
  moved.release();
  moved.expect_any_order();
  CHECK(moved.bytes() == "some bytes");
  CHECK_NOTHROW(moved.check_unchanged());
  CHECK(MappedFile(folder.write("empty", "")).bytes().empty());
  CHECK_THROWS_AS(MappedFile(folder.path("none")), IoError);
}

TEST_CASE("a mapped file that is written is refused, a replaced one stays", "[mapped_file]") {
  const test::DataFolder folder;
  const auto path = folder.write("x", "some bytes");
  const MappedFile file(path);
  std::filesystem::rename(folder.write("y", "other"), path);
  CHECK_NOTHROW(file.check_unchanged());
  CHECK(file.bytes() == "some bytes");
  const MappedFile other(path);
  std::filesystem::resize_file(path, 2);
  CHECK_THAT(test::sentence_of<DataError>([&] { other.check_unchanged(); }),
             Contains("was written while it was in use"));
  // cure: while it was in use; start again with a file that stays
  CHECK_NOTHROW(MappedFile(path).check_unchanged());
}
