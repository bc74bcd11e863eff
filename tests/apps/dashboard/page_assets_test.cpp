#include "apps/dashboard/page/page_assets.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace troupe;

TEST_CASE("the program has the files that its page names", "[dashboard]") {
  const auto* page = page_asset("index.html");
  REQUIRE(page != nullptr);
  const std::string text{page->content};
  for (const std::string mark : {"src=\"", "href=\""})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const auto begin = at + mark.size();
      const auto name = text.substr(begin, text.find('"', begin) - begin);
      if (name.front() != '#')
        CHECK(page_asset(name) != nullptr);
    }
  CHECK(page_asset("../index.html") == nullptr);
  CHECK(page_asset("") == nullptr);
}

TEST_CASE("the page asks for all of its modules at once", "[dashboard]") {
  const auto& page = index_page();
  CHECK(page.find("<link rel=\"modulepreload\" href=\"axis_scale.js\">") < page.find("</head>"));
  CHECK(page.find("saved") == std::string::npos);
  for (auto at = page.find("modulepreload"); at != std::string::npos;
       at = page.find("modulepreload", at + 1)) {
    const auto begin = page.find("href=\"", at) + 6;
    CHECK(page_asset(page.substr(begin, page.find('"', begin) - begin)) != nullptr);
  }
}

TEST_CASE("the page's modules import files that the program has", "[dashboard]") {
  for (const auto& asset : page_assets()) {
    CHECK_FALSE(asset.content.empty());
    if (asset.name == "dygraph.js" || asset.type.find("javascript") == std::string_view::npos)
      continue;
    const std::string text{asset.content};
    for (auto at = text.find("from \"./"); at != std::string::npos;
         at = text.find("from \"./", at + 1)) {
      const auto name = text.substr(at + 8, text.find('"', at + 8) - at - 8);
      CHECK((page_asset(name) != nullptr || name.find('(') != std::string::npos));
    }
  }
}

TEST_CASE("no file of the page can end the element that a saved page puts it in", "[dashboard]") {
  for (const auto& asset : page_assets()) {
    if (asset.type.find("javascript") != std::string_view::npos)
      CHECK(asset.content.find("</script") == std::string_view::npos);
    if (asset.type.find("css") != std::string_view::npos)
      CHECK(asset.content.find("</style") == std::string_view::npos);
  }
}

TEST_CASE("the page names no address beyond the dashboard", "[dashboard]") {
  for (const auto& asset : page_assets())
    if (asset.name != "dygraph.js" && asset.name != "dygraph.css")
      for (const auto* scheme : {"https://", "http://"})
        for (auto at = asset.content.find(scheme); at != std::string_view::npos;
             at = asset.content.find(scheme, at + 1))
          CHECK(asset.content.substr(at).starts_with("http://www.w3.org/2000/svg"));
}
