#include "apps/collection/remote_dashboard.hpp"
#include "apps/collection/remote_files.hpp"
#include "base/failure.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace troupe;

namespace {

std::string listing_of(const std::string& path, const std::string& name) {
  return R"({"machine":"n1","folders":[{"id":"5f","path":")" + path + R"(","files":[{"name":")"
         + name + R"(","bytes":7,"changed":"1970-01-01T00:00:02.500Z"}]}]})";
}

RemoteFile remote(const std::string& name, std::uint64_t bytes, double changed = 1) {
  return {name, bytes, changed};
}

} // namespace

TEST_CASE("a dashboard's list of files is read, folders before what is in them", "[collect]") {
  const auto files
    = remote_files_in(R"({"machine":"n1","folders":[{"id":"2","path":"runs/c/w","files":[]},)"
                      R"({"id":"1","path":"runs/c","files":[{"name":"cluster.json","bytes":9,)"
                      R"("changed":"1970-01-01T00:00:02.500Z"}]}]})");
  CHECK(files.machine == "n1");
  REQUIRE(files.folders.size() == 2);
  CHECK(files.folders[0].path == "runs/c");
  CHECK(files.folders[1].path == "runs/c/w");
  REQUIRE(files.folders[0].files.size() == 1);
  CHECK(files.folders[0].files[0].bytes == 9);
  CHECK(files.folders[0].files[0].changed == 2.5);
}

TEST_CASE("a path that leads out of the folder of copies is refused", "[collect]") {
  CHECK_NOTHROW(remote_files_in(listing_of("runs/a", "samples/1.png")));
  for (const auto* wrong : {"", "/etc", "..", "runs/../../x", "runs/.ssh", "./runs", "runs/a/"}) {
    INFO(wrong);
    CHECK_THROWS_AS(remote_files_in(listing_of(wrong, "log.jsonl")), std::invalid_argument);
    CHECK_THROWS_AS(remote_files_in(listing_of("runs", wrong)), std::invalid_argument);
  }
  CHECK_THROWS_AS(remote_files_in(listing_of("runs", "a\\u0000b")), std::invalid_argument);
}

TEST_CASE("an answer of another program is refused", "[collect]") {
  for (const auto* wrong : {"", "<html>", "[]", "{}", R"({"machine":1,"folders":[]})",
                            R"({"machine":"n1","folders":[{"id":"a"}]})",
                            R"({"machine":"n1","folders":[{"id":"a","path":"r","files":[{}]}]})"}) {
    INFO(wrong);
    CHECK_THROWS_AS(remote_files_in(wrong), std::invalid_argument);
  }
}

TEST_CASE("a log is continued where its copy ends", "[collect]") {
  CHECK(first_lacking(remote("log.jsonl", 10), {}) == 0u);
  CHECK(first_lacking(remote("log.jsonl", 10), CopiedFile{4, 0}) == 4u);
  CHECK(first_lacking(remote("log.jsonl", 10), CopiedFile{10, 0}) == std::nullopt);
  CHECK(first_lacking(remote("journal", 10), CopiedFile{4, 0}) == 4u);
}

TEST_CASE("a log that is shorter than its copy was replaced, and is copied anew", "[collect]") {
  CHECK(first_lacking(remote("log.jsonl", 10), CopiedFile{11, 0}) == 0u);
}

TEST_CASE("other files are copied whole when size or time differ", "[collect]") {
  CHECK(first_lacking(remote("result.json", 10, 5), {}) == 0u);
  CHECK(first_lacking(remote("result.json", 10, 5), CopiedFile{10, 5.001}) == std::nullopt);
  CHECK(first_lacking(remote("result.json", 10, 5), CopiedFile{10, 4}) == 0u);
  CHECK(first_lacking(remote("result.json", 10, 5), CopiedFile{9, 5}) == 0u);
}

TEST_CASE("the address of a dashboard has its token, or gets that of a file", "[collect]") {
  const auto printed = dashboard_address("http://127.0.0.1:8000/?token=abc", "");
  CHECK(printed.origin == "http://127.0.0.1:8000");
  CHECK(printed.host == "127.0.0.1:8000");
  CHECK(printed.token == "abc");
  CHECK(dashboard_address("https://n1:8000", "def").token == "def");
  CHECK(dashboard_address("https://n1:8000/", "def").origin == "https://n1:8000");
  CHECK_THROWS_AS(dashboard_address("https://n1:8000", ""), UsageError);
}

TEST_CASE("a token is sent to another machine by TLS only", "[collect]") {
  CHECK_THROWS_AS(dashboard_address("http://n1:8000/?token=abc", ""), UsageError);
  CHECK_THROWS_AS(dashboard_address("n1:8000/?token=abc", ""), UsageError);
  CHECK_NOTHROW(dashboard_address("http://localhost:8000/?token=abc", ""));
}
