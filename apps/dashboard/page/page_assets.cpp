#include "apps/dashboard/page/page_assets.hpp"

#include <algorithm>

// The assembler reads the files, so that the compiler does not: each lies between two symbols.
// CMake writes the list of calls of TROUPE_PAGE_FILE(symbol, name, path).
#define TROUPE_PAGE_FILE(symbol, name, path)                                                       \
  asm(".pushsection .rodata\ntroupe_page_" #symbol ":\n.incbin \"" path "\"\ntroupe_page_" #symbol \
      "_end:\n.byte 0\n.popsection\n");                                                            \
  extern "C" __attribute__((visibility("hidden"))) const char troupe_page_##symbol[];              \
  extern "C" __attribute__((visibility("hidden"))) const char troupe_page_##symbol##_end[];
#include "troupe/page_files.inc"
#undef TROUPE_PAGE_FILE

namespace troupe {

namespace {

std::string_view asset_type(std::string_view name) {
  const auto ending = name.substr(name.rfind('.') + 1);
  if (ending == "js")
    return "text/javascript; charset=utf-8";
  if (ending == "css")
    return "text/css; charset=utf-8";
  if (ending == "svg")
    return "image/svg+xml";
  return "text/html; charset=utf-8";
}

} // namespace

const std::vector<PageAsset>& page_assets() {
  static const std::vector<PageAsset> assets{
#define TROUPE_PAGE_FILE(symbol, name, path)                                                       \
  PageAsset{name,                                                                                  \
            asset_type(name),                                                                      \
            {troupe_page_##symbol,                                                                 \
             static_cast<std::size_t>(troupe_page_##symbol##_end - troupe_page_##symbol)}},
#include "troupe/page_files.inc"
#undef TROUPE_PAGE_FILE
  };
  return assets;
}

const PageAsset* page_asset(std::string_view name) {
  const auto& assets = page_assets();
  const auto found = std::find_if(assets.begin(), assets.end(),
                                  [&](const auto& asset) { return asset.name == name; });
  return found == assets.end() ? nullptr : &*found;
}

const std::string& index_page() {
  static const std::string page = [] {
    std::string text{page_asset("index.html")->content};
    std::string preloads;
    for (const auto& asset : page_assets()) // main.js is named there, and dygraph.js is no module
      if (asset.name.ends_with(".js") && asset.name != "dygraph.js" && asset.name != "main.js"
          && !asset.name.starts_with("saved"))
        preloads += "<link rel=\"modulepreload\" href=\"" + std::string{asset.name} + "\">\n";
    return text.insert(text.find("</head>"), preloads);
  }();
  return page;
}

} // namespace troupe
