// Tables, what was learned of them, texts, lists of rows, pictures.
#include "base/failure.hpp"
#include "messages/log/statistics_file.hpp"
#include "model/data/row_list.hpp"
#include "model/data/table/csv.hpp"
#include "model/data/text/text.hpp"
#include "model/formats/png.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

#include <zlib.h>

#include <cstring>
#include <stdexcept>

namespace troupe::fuzz {

namespace {

// -- csv
// --------------------------------------------------------------------------------------------

/// @param way the bits of a byte
CsvOptions csv_options(unsigned way, const std::string& path) {
  CsvOptions options;
  options.path = path;
  options.separator = (way & 1) != 0 ? ";" : (way & 2) != 0 ? "tab" : "auto";
  options.header = (way & 4) != 0 ? "auto" : (way & 8) != 0 ? "no" : "yes";
  options.missing = (way & 16) != 0 ? "drop" : (way & 32) != 0 ? "mean" : "error";
  options.task = (way & 64) != 0 ? "auto" : (way & 128) != 0 ? "regression" : "classification";
  options.validation_fraction = options.test_fraction = 0.2;
  return options;
}

/// Rows that were fitted are read again by what was learned of them.
void parse_csv(std::string_view input) {
  static InputFile file;
  const auto options = csv_options(take_choice(input, 256), file.hold(input));
  accept_or_refuse<DataError, IoError, std::invalid_argument>([&] {
    const Csv table(options);
    table.reading_notes();
    Batch batch;
    const std::vector<Index> first{0};
    table.gather(Section::train, first, batch);
    read_csv_rows(options, table.fit());
  });
}

std::vector<std::string> csv_seeds() {
  const std::string table = "length,kind,class\n1.5,a,x\n2,b,y\n3,a,x\n4,\"b\",y\n5,a,x\n6,b,y\n";
  const std::string numbers = "1;2\n3;NA\n5;6.5\n-7;8e3\n9;10\n11;12\n";
  std::vector<std::string> seeds;
  for (const char way : {0, 4, 4 + 64, 16, 32})
    seeds.push_back(way + table);
  for (const unsigned way : {1u + 8 + 16 + 128, 1u + 4 + 32 + 64})
    seeds.push_back(static_cast<char>(way) + numbers);
  return seeds;
}

// -- what was learned of a table
// --------------------------------------------------------------------

void parse_fit(std::string_view input) {
  static InputFile table;
  CsvOptions options;
  options.path = table.hold("length,kind,class\n1.5,a,x\n2,b,y\n");
  options.header = "yes";
  options.missing = "mean";
  accept_or_refuse<DataError, IoError, std::invalid_argument>([&] {
    const auto fit = csv_fit_from(std::string{input});
    data_spec(fit);
    reading_text(fit);
    csv_fit_from(to_json(fit));
    read_csv_rows(options, std::string{input});
  });
}

std::vector<std::string> fit_seeds() {
  return {
    R"({"problem": "csv", "data": "0f3a9c01", "header": true, "columns": 3, "features":
        [{"column": "length", "mean": 2.5, "deviation": 1.5},
         {"column": "kind", "levels": ["a", "b"]}],
        "target": {"column": "class", "classes": ["x", "y"]}})",
    R"({"data": "0f3a9c01", "header": true, "columns": 3, "features": [{"column": "length",
        "mean": 1}], "target": {"column": "class", "mean": 1.25, "deviation": 0.5}})"};
}

// -- lists of rows, statistics, texts
// ----------------------------------------------------------------

void parse_text(std::string_view input) {
  static InputFile file;
  const auto kind = take_choice(input, 3);
  const auto& path = file.hold(input);
  accept_or_refuse<DataError, IoError>([&] {
    if (kind == 0) {
      parse_rows({path}, 1000);
    } else if (kind == 1) {
      read_statistics(path);
    } else {
      TextOptions options;
      options.path = path;
      options.length = 4;
      const Text text(options);
      text.class_names();
      const Text again(options, text.fit());
    }
  });
}

std::vector<std::string> text_seeds() {
  const std::string rows(1, '\0'), statistics(1, '\1'), text(1, '\2');
  return {rows + "3, 17, 5\n0..2 900..1000", statistics + "episode,loss\n0,0.5\n1,\"0,25\"\n",
          text + "Der Mond ist aufgegangen, die goldnen Sternlein prangen \xc3\xa4\xe2\x82\xac"};
}

// -- png
// --------------------------------------------------------------------------------------------

/// Puts right the checksums of the chunks, behind which libpng would never look.
std::string with_chunk_checksums(std::string png) {
  constexpr std::size_t signature = 8, frame = 12;
  for (auto at = signature; at + frame <= png.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i)
      length = length << 8 | static_cast<unsigned char>(png[at + i]);
    if (length > png.size() - at - frame)
      break;
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(png.data() + at + 4), length + 4);
    for (std::size_t i = 0; i < 4; ++i)
      png[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i));
    at += length + frame;
  }
  return png;
}

void parse_png(std::string_view input) {
  static InputFile file;
  const Index channels = take_choice(input, 2) == 0 ? 1 : 3;
  accept_or_refuse<DataError, IoError>([&] {
    const auto picture = read_png(file.hold(with_chunk_checksums(std::string{input})), channels);
    const auto pixels = picture.width * picture.height * picture.channels;
    if (picture.pixels.size() != static_cast<std::size_t>(pixels))
      report("a picture that has other pixels than its sizes say");
  });
}

std::vector<std::string> png_seeds() {
  const InputFolder folder;
  std::vector<std::string> seeds;
  for (const Index channels : {1, 3}) {
    Picture picture{4, 3, channels, {}};
    for (Index i = 0; i < 12 * channels; ++i)
      picture.pixels.push_back(static_cast<std::uint8_t>(20 * i));
    const auto path = (folder.path() / "picture.png").string();
    write_png(path, picture);
    for (const char grey_or_colours : {'\0', '\1'})
      seeds.push_back(grey_or_colours + contents_of(path));
  }
  return seeds;
}

} // namespace

std::vector<Parser> table_parsers() {
  return {{"csv", parse_csv, csv_seeds},
          {"fit", parse_fit, fit_seeds},
          {"text", parse_text, text_seeds},
          {"png", parse_png, png_seeds}};
}

} // namespace troupe::fuzz
