#include "apps/dashboard/page/saved_page.hpp"

#include "apps/dashboard/page/page_assets.hpp"
#include "base/text/escaped_html.hpp"

#include <set>

namespace troupe {

namespace {

std::string text_of_asset(std::string_view name) { return std::string{page_asset(name)->content}; }

/// JSON that cannot end the element which it is in.
std::string json_in_html(const std::string& json) {
  std::string text;
  for (const auto c : json)
    text += c == '<' ? std::string{"\\u003c"} : std::string{c};
  return text;
}

/// The modules as texts, from which saved_boot.js makes modules.
std::string modules_in_html() {
  const std::set<std::string_view> others{"dygraph.js", "saved_boot.js", "main.js"};
  std::string modules;
  for (const auto& asset : page_assets())
    if (asset.name.ends_with(".js") && others.count(asset.name) == 0)
      modules += "<script type=\"text/plain\" data-module=\"" + std::string{asset.name} + "\">\n"
                 + std::string{asset.content} + "</script>\n";
  return modules;
}

/// The first `mark` in a page gives way to a text.
std::string with_part(std::string page, const std::string& mark, const std::string& text) {
  return page.replace(page.find(mark), mark.size(), text);
}

} // namespace

std::string saved_page(const std::string& title, const std::string& data) {
  const auto scripts = "<script>" + text_of_asset("dygraph.js") + "</script>\n" + modules_in_html()
                       + "<script type=\"application/json\" id=\"saved\">" + json_in_html(data)
                       + "</script>\n<script>\n" + text_of_asset("saved_boot.js") + "</script>\n";
  std::string styles;
  for (const auto* name : {"dygraph.css", "theme.css", "page.css"})
    styles += "<style>\n" + text_of_asset(name) + "</style>\n";
  // From the last mark to the first, since a text that is put in may contain one.
  auto page = with_part(text_of_asset("saved.html"), "@scripts@", scripts);
  page = with_part(std::move(page), "@styles@", styles);
  return with_part(std::move(page), "@title@", escaped_html(title));
}

} // namespace troupe
