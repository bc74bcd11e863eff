#include "base/text/escaped_html.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("text cannot leave an element or an attribute of a page", "[M51]") {
  CHECK(escaped_html("<script>\"'&</script>") == "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;");
  CHECK(escaped_html("a\nb\x01") == "a b ");
}
