#include "base/files/durable_file.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

using namespace troupe;

TEST_CASE("a temporary file's name contains the final name", "[durable_file]") {
  test::WorkFolder work;
  const auto made = make_beside(work.path() / "state.bin", [](const char* name) {
    const auto file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    return file < 0 ? file : close(file);
  });
  CHECK(made.parent_path() == work.path());
  CHECK(final_name(made.filename().native()) == "state.bin");
}

TEST_CASE("other names have no final name", "[durable_file]") {
  for (const auto* name :
       {"", ".", "..", ".1.2", "state.bin", "state.bin.1.2", ".state.bin", ".state.bin.1",
        ".state.bin.1.", ".state.bin..2", ".state.bin.1.2x", ".state.bin.x.2", "1.2", "7"})
    CHECK(final_name(name).empty());
}
