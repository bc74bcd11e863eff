#include "model/data/table/foreign_table.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"

namespace troupe {

namespace {

struct Foreign {
  std::string_view begin; ///< in small letters
  const char* name;
  const char* cure;
};

using namespace std::string_view_literals;

constexpr Foreign foreign_tables[] = {
  {"pk\3\4"sv, "a ZIP archive, as spreadsheets are",
   "save the sheet as CSV, or unpack the archive"},
  {"\xd0\xcf\x11\xe0"sv, "a spreadsheet", "save the sheet as CSV"},
  {"par1"sv, "a Parquet file",
   "write it as CSV, like pandas.read_parquet(path).to_csv(\"table.csv\")"},
  {"sqlite format 3"sv, "a database of SQLite",
   "export the table as CSV, like sqlite3 -csv -header"},
  {"\x89hdf"sv, "an HDF5 file", "write its table as CSV"},
  {"\x93numpy"sv, "a NumPy array", "read it with problem.name=npy"},
  {"{\""sv, "JSON",
   "write it as CSV, like pandas.read_json(path, lines=True).to_csv(\"table.csv\")"},
  {"[{"sv, "JSON", "write it as CSV, like pandas.read_json(path).to_csv(\"table.csv\")"},
  {"<!doctype"sv, "a web page", "download the table itself"},
  {"<html"sv, "a web page", "download the table itself"},
  {"<?xml"sv, "XML", "write it as CSV"},
};

} // namespace

void refuse_foreign_table(std::string_view bytes, const std::string& path) {
  constexpr std::size_t longest = 16;
  const auto begin = lower_case(bytes.substr(0, longest));
  for (const auto& foreign : foreign_tables)
    if (begin.starts_with(foreign.begin))
      throw DataError(path + " is " + foreign.name + ", not CSV; " + foreign.cure);
}

} // namespace troupe
