#include "apps/dashboard/access.hpp"
#include "apps/dashboard/http_server.hpp"
#include "base/failure.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

AccessRules rules_for_access() {
  return {{"read-read-read-read", "control-control-con", "admin-admin-admin-a"},
          "troupe_8000",
          {"127.0.0.1", "localhost", "[::1]"},
          false};
}

RequestHead admitted_head() {
  RequestHead head;
  head.method = "GET";
  head.path = "/api/runs";
  head.host = "127.0.0.1:8000";
  head.cookie = "other=1; troupe_8000=control-control-con";
  return head;
}

int status_of_head(const RequestHead& head) { return admit(head, rules_for_access()).status; }

} // namespace

TEST_CASE("a token in the cookie or as a bearer gives its role", "[dashboard]") {
  auto head = admitted_head();
  CHECK(admit(head, rules_for_access()).role == AccessRole::control);
  head.cookie = "";
  head.authorization = "Bearer admin-admin-admin-a";
  CHECK(admit(head, rules_for_access()).role == AccessRole::admin);
  head.authorization = "Basic admin-admin-admin-a";
  CHECK(status_of_head(head) == 401);
}

TEST_CASE("a token in the address counts for the page alone", "[dashboard]") {
  auto head = admitted_head();
  head.cookie = "";
  head.token = "read-read-read-read";
  CHECK(status_of_head(head) == 401);
  head.path = "/";
  CHECK(admit(head, rules_for_access()).role == AccessRole::read);
  head.method = "POST";
  CHECK(status_of_head(head) == 401);
}

TEST_CASE("a request without a token or with a wrong one is refused", "[dashboard]") {
  auto head = admitted_head();
  for (const auto* cookie :
       {"", "troupe_8000=", "troupe_8000=wrong", "xtroupe_8000=control-control-con",
        "troupe_80001=control-control-con"}) {
    head.cookie = cookie;
    CHECK(status_of_head(head) == 401);
  }
}

TEST_CASE("a request for a foreign host is refused, whatever its token", "[dashboard]") {
  auto head = admitted_head();
  for (const auto* host : {"evil.example", "evil.example:8000", "127.0.0.1.evil.example:8000", "",
                           "localhost:80x", "[::1", "localhost:"}) {
    head.host = host;
    CHECK(status_of_head(head) == 403);
  }
  for (const auto* host : {"LOCALHOST:8000", "[::1]:9", "127.0.0.1"}) {
    head.host = host;
    CHECK(status_of_head(head) == 0);
  }
}

TEST_CASE("a page of another site may send nothing", "[dashboard]") {
  auto head = admitted_head();
  head.method = "POST";
  head.content_type = "application/json";
  for (const auto* origin :
       {"http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:8001"}) {
    head.origin = origin;
    CHECK(status_of_head(head) == 403);
  }
  head.origin = "http://127.0.0.1:8000";
  CHECK(status_of_head(head) == 0);
}

TEST_CASE("a form of another page has the wrong type for a post", "[dashboard]") {
  auto head = admitted_head();
  head.method = "POST";
  head.content_type = "text/plain";
  CHECK(status_of_head(head) == 415);
  head.method = "DELETE";
  CHECK(status_of_head(head) == 405);
}

TEST_CASE("each order has the least role that may give it", "[dashboard]") {
  CHECK(role_for("status") == AccessRole::read);
  CHECK(role_for("pause") == AccessRole::control);
  CHECK(role_for("stop") == AccessRole::admin);
  CHECK(role_for("delete") == AccessRole::none);
  CHECK(verbs_of(AccessRole::read) == std::vector<std::string>{"ping", "status"});
}

TEST_CASE("tokens of roles read back as they were written", "[dashboard]") {
  const auto tokens = rules_for_access().tokens;
  const auto read = role_tokens_in(to_text(tokens), "tokens.json");
  CHECK(read.role_of(tokens.control) == AccessRole::control);
  CHECK_THROWS_AS(role_tokens_in("{\"read\":\"short\"}", "tokens.json"), IoError);
  CHECK_THROWS_AS(role_tokens_in("[]", "tokens.json"), IoError);
}

TEST_CASE("fields that ask for parts or for compression are left out of a head", "[dashboard]") {
  CHECK(needed_head("GET / HTTP/1.1\r\nHost: a\r\nRANGE: bytes=0-\r\nAccept-Encoding: br\r\n\r\n")
        == "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
}
