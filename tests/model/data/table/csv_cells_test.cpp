// Packed cells against the texts that they were read from.
#include "base/failure.hpp"
#include "model/data/table/csv_table.hpp"
#include "model/formats/data_file.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using CellTexts = std::vector<std::vector<std::string>>; // [rows, columns]
using CellRandom = std::mt19937;

/// Kinds of cells: numbers of all lengths and forms, words, and both.
const std::vector<std::function<std::string(CellRandom&)>> kinds_of_cells{
  [](CellRandom& random) { return std::to_string(random() % 7); },
  [](CellRandom& random) { return fmt::format("{:.2f}", double(random()) / 1e5 - 2e4); },
  [](CellRandom& random) { return fmt::format("{}", double(random() % 100000) / 1000 - 50); },
  [](CellRandom& random) { return fmt::format("{}", float(random()) / 3e8F); },
  [](CellRandom& random) { return fmt::format("{:.17g}", double(random()) / 7); },
  [](CellRandom& random) {
    return fmt::format("{:.3e}", std::ldexp(1.0, int(random() % 200) - 100));
  },
  [](CellRandom& random) { return std::to_string(random()) + std::to_string(random()); },
  [](CellRandom& random) { return std::string(random() % 2 != 0 ? "-0" : "0.0"); },
  [](CellRandom& random) { return std::string(random() % 3 != 0 ? "+1.5" : ".5"); },
  [](CellRandom& random) { return random() % 4 != 0 ? std::to_string(random() % 90) : ""; },
  [](CellRandom& random) {
    return random() % 4 != 0 ? fmt::format("{:.5f}", random() / 9.) : "NA";
  },
  [](CellRandom& random) { return std::string(random() % 2 != 0 ? "red" : "blue, \"dark\""); },
  [](CellRandom& random) { return "id" + std::to_string(random()); },
  [](CellRandom& random) { return std::string(random() % 2 != 0 ? "two\nlines" : "caf\xC3\xA9"); },
  [](CellRandom& random) { return random() % 30 != 0 ? std::to_string(random() % 50) : "oops"; },
  [](CellRandom& random) { return random() % 9 != 0 ? fmt::format("{}", random() % 9) : "1e400"; }};

CellTexts random_cells(CellRandom& random, std::size_t rows, std::size_t columns) {
  CellTexts cells(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    const auto& kind = kinds_of_cells[random() % kinds_of_cells.size()];
    for (auto& row : cells)
      row.push_back(kind(random));
  }
  return cells;
}

std::string csv_of(const CellTexts& cells, CellRandom& random) {
  std::string text;
  for (std::size_t c = 0; c < cells.front().size(); ++c)
    text += (c == 0 ? "" : ",") + fmt::format("column{}", c);
  for (const auto& row : cells) {
    text += random() % 20 == 0 ? "\r\n\n" : "\n";
    for (std::size_t c = 0; c < row.size(); ++c) {
      auto cell = row[c];
      if (random() % 8 == 0 || cell.find_first_of(",\"\n") != cell.npos || row.size() == 1) {
        for (std::size_t at = 0; (at = cell.find('"', at)) != cell.npos; at += 2)
          cell.insert(at, "\"");
        cell = "\"" + cell + "\"";
      }
      text += (c == 0 ? "" : ",") + cell;
    }
  }
  return text + "\n";
}

/// The number in a text, by the C library.
std::optional<double> number_by_strtod(const std::string& text) {
  char* end = nullptr;
  const auto number = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && *end == '\0' && std::abs(number) <= 3.4e38;
  return whole ? std::optional{number} : std::nullopt;
}

bool same_bits(std::optional<double> a, std::optional<double> b) {
  return a.has_value() == b.has_value()
         && (!a || (*a == *b && std::signbit(*a) == std::signbit(*b)));
}

/// The first cell that is not read as it was written; "" if there is none.
std::string first_difference(CsvTable& table, const CellTexts& cells) {
  if (table.rows() != Index(cells.size()) || table.columns() != Index(cells[0].size()))
    return "its size";
  for (Index c = 0; c < table.columns(); ++c) {
    auto column = table.cells(c);
    for (Index r = 0; r < table.rows(); ++r) {
      const auto& text = cells[std::size_t(r)][std::size_t(c)];
      if (!same_bits(column.number(r), number_by_strtod(text))
          || column.is_missing(r) != (text.empty() || text == "NA") || table.cell(r, c) != text)
        return table.place(r, c) + ": " + text;
    }
  }
  return "";
}

std::string gzip_of(const std::string& text) {
  std::string packed(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = uInt(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = uInt(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

} // namespace

TEST_CASE("each cell is read as it is written, in a block or in many", "[csv_cells]") {
  const test::DataFolder folder;
  for (unsigned seed = 0; seed < 120; ++seed) {
    CellRandom random(seed);
    const auto cells = random_cells(random, 1 + random() % 200, 1 + random() % 6);
    const auto path = folder.write("table.csv", csv_of(cells, random));
    for (const std::uint64_t block_bytes : {64, 700, 1 << 19}) {
      const std::uint64_t memory = seed % 3 == 0 ? 100 : 0; // in a spill file or not
      CsvTable table(path, {.separator = ",",
                            .header = "yes",
                            .decimal = "point",
                            .block_bytes = block_bytes,
                            .memory = memory});
      for (Index c = 0; c < table.columns(); ++c)
        table.set_style(c, {});
      INFO("seed " << seed << ", blocks of " << block_bytes);
      REQUIRE(first_difference(table, cells) == "");
      table.read_words({0});
      REQUIRE(first_difference(table, cells) == "");
      CHECK(table.words(0).contains(cells[0][0]));
    }
  }
}

TEST_CASE("a table of many blocks is read on several threads, packed with gzip or not",
          "[csv_cells]") {
  CellRandom random(7);
  const auto cells = random_cells(random, 20000, 12);
  const auto text = csv_of(cells, random);
  const test::DataFolder folder;
  const auto plain = folder.write("table.csv", text);
  for (const auto& path : {plain, folder.write("table.csv.gz", gzip_of(text))}) {
    CsvTable table(path, {.separator = ",", .header = "yes", .decimal = "point"});
    for (Index c = 0; c < table.columns(); ++c)
      table.set_style(c, {});
    CHECK(first_difference(table, cells) == "");
    CHECK(table.data() == checksum(std::as_bytes(std::span{text})));
  }
}

TEST_CASE("errors in later blocks are reported with their lines", "[csv_cells]") {
  const test::DataFolder folder;
  const auto refusal = [&](const std::string& last) {
    std::string text = "a,b\n\n\"1\n\",2\n";
    for (int i = 0; i < 100; ++i)
      text += "1.5,word\n";
    const auto path = folder.write("table.csv", text + last + "\n1,2\n");
    return test::sentence_of<DataError>([&] { CsvTable(path, {.block_bytes = 128}); });
  };
  CHECK_THAT(refusal("1"), Contains("line 105, column 2: found 1 cells, expected 2 as in line 1"));
  CHECK_THAT(refusal("1,\"2"), Contains("line 105, column 2: found no end of the cell"));
  CHECK_THAT(refusal("1,2\"3\""), Contains("line 105, column 2: found a quote inside"));
  CHECK_THAT(refusal("1,\xE9"), Contains("line 105: byte 914 is not UTF-8"));
}

TEST_CASE("a number that means missing is missing wherever it occurs", "[csv_cells]") {
  const test::DataFolder folder;
  CsvTable table(folder.write("table.csv", "a,b\n-999,1\n2.5,-999\n-999.0,3\n"),
                 {.missing_words = {"+", "-999"}});
  auto a = table.cells(0), b = table.cells(1);
  CHECK(a.is_missing(0));
  CHECK_FALSE(a.is_missing(2));
  CHECK(std::isnan(b.known_number(1)));
  CHECK(table.forms(0).known() == 2);
}

TEST_CASE("a separator that may be in a number separates cells", "[csv_cells]") {
  const test::DataFolder folder;
  for (const auto* const separator : {".", "-", "0"}) {
    const auto text = fmt::format("a{0}b{0}c\n5{0}3{0}7\n1{0}2{0}4\n", separator);
    const CsvTable table(folder.write("table.csv", text), {.separator = separator});
    REQUIRE(table.columns() == 3);
    CHECK(table.cells(0).number(0) == 5);
    CHECK(table.cells(1).number(0) == 3);
    CHECK(table.cells(2).number(1) == 4);
  }
}

TEST_CASE("rows that are released leave the later ones as they are", "[csv_cells]") {
  const test::DataFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("{},{}.5\n", i, i);
  CsvTable table(folder.write("table.csv", text), {.block_bytes = 64});
  auto b = table.cells(1);
  for (Index row = 0; row < 100; ++row) {
    table.release_before(row);
    CHECK(b.number(row) == double(row) + 0.5);
  }
}
