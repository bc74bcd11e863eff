// The files of the page, which are part of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

struct PageAsset {
  std::string_view name;    ///< "main.js"
  std::string_view type;    ///< MIME type
  std::string_view content; ///< lives as long as the program
};

/// All files that the page loads: index.html, its modules and styles, and the charts' library.
const std::vector<PageAsset>& page_assets();

/// The file of a name; nullptr if there is none.
const PageAsset* page_asset(std::string_view name);

/// index.html, which asks the browser for all modules at once: each imports others, and the browser
/// would learn of these only when it has read it.
const std::string& index_page();

} // namespace troupe
