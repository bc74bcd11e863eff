// reading csv|words|npy|png [SIZE]: a table of SIZE MB of numbers (100), or of words and numbers, an
// array of SIZE MB, or SIZE pictures of 64x64x3 (20,000), written and then read as training reads
// them. Prints the seconds of wall and processor, and the peak of memory beyond that of the process
// before.
#include "bench/benchmarks.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "model/data/arrays/npy.hpp"
#include "model/data/images/image_folder.hpp"
#include "model/data/table/csv.hpp"
#include "model/formats/npy_writer.hpp"
#include "model/formats/png.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>

namespace troupe::bench::reading_benchmark {

namespace {

namespace fs = std::filesystem;

rusage usage_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double cpu_seconds() {
  const auto usage = usage_so_far();
  const auto seconds
    = [](const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_megabytes() { return double(usage_so_far().ru_maxrss) * 1024 / 1e6; }

void write_table(const fs::path& path, double megabytes, bool words) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::ofstream out(path);
  constexpr int columns = 20;
  for (int c = 0; c < columns; ++c)
    out << "x" << c << ',';
  out << "y\n";
  char cell[32];
  while (double(out.tellp()) < megabytes * 1e6) {
    for (int c = 0; c < columns; ++c)
      if (words && c % 4 == 0)
        out << "level" << random() % 50 << ',';
      else
        out.write(cell, std::snprintf(cell, sizeof cell, "%.4f,", normal(random)));
    out.write(cell, std::snprintf(cell, sizeof cell, "%.4f\n", normal(random)));
  }
}

constexpr Index array_width = 784;

void write_array(const fs::path& path, Index rows, Index width) {
  std::ofstream out(path, std::ios::binary);
  out << npy_header({rows, width});
  std::vector<float> row(static_cast<std::size_t>(width));
  for (Index i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), static_cast<float>(i));
    out.write(reinterpret_cast<const char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
}

/// One epoch of batches. @returns the bytes of their inputs
std::size_t read_all(const Problem& problem) {
  constexpr Index batch_size = 64;
  Batch batch;
  std::vector<Index> rows;
  const auto all = problem.size(Section::train);
  for (Index first = 0; first < all; first += batch_size) {
    rows.clear();
    for (auto row = first; row < std::min(first + batch_size, all); ++row)
      rows.push_back(row * 7919 % all); // not in the order of the file
    problem.gather(Section::train, rows, batch);
  }
  return static_cast<std::size_t>(all * problem.spec().inputs[0].width()) * sizeof(float);
}

void write_pictures(const fs::path& folder, int count) {
  std::mt19937 random(1);
  for (const auto* name : {"a", "b"})
    fs::create_directory(folder / name);
  Picture picture{64, 64, 3, std::vector<std::uint8_t>(64 * 64 * 3)};
  for (int i = 0; i < count; ++i) {
    for (std::size_t p = 0; p < picture.pixels.size(); ++p) // smooth, with some noise
      picture.pixels[p] = static_cast<std::uint8_t>(p / 96 + std::size_t(i) + random() % 8);
    write_png((folder / (i % 2 != 0 ? "a" : "b") / (std::to_string(i) + ".png")).string(), picture);
  }
}

void measure(const std::string& name, const std::function<std::size_t()>& floats_read) {
  const auto memory = peak_megabytes();
  const auto wall = now(), cpu = cpu_seconds();
  const auto floats = floats_read();
  report(name + " wall", "s", {now() - wall});
  report(name + " processor", "s", {cpu_seconds() - cpu});
  report(name + " peak", "MB", {peak_megabytes() - memory});
  report(name + " values", "MB", {double(floats) / 1e6});
}

std::size_t rows_of(const Problem& problem) {
  Index rows = 0;
  for (const auto section : {Section::train, Section::validation, Section::test})
    rows += problem.size(section);
  return static_cast<std::size_t>(rows);
}

void measure_kind(const Arguments& arguments) {
  const auto& kind = arguments[0];
  const auto size = arguments.size() > 1 ? std::stoi(arguments[1]) : kind == "png" ? 20000 : 100;
  const auto folder = fs::temp_directory_path() / ("reading-" + std::to_string(getpid()));
  fs::create_directory(folder);
  if (kind == "png") {
    write_pictures(folder, size);
    measure(kind, [&] {
      return rows_of(ImageFolder({.path = folder.string(), .channels = 3})) * 64 * 64 * 3;
    });
  } else if (kind == "npy") {
    const auto rows = Index{size} * 1'000'000 / (array_width * Index{sizeof(float)});
    const auto inputs = folder / "x.npy", targets = folder / "y.npy";
    write_array(inputs, rows, array_width);
    write_array(targets, rows, 1);
    measure(kind, [&] {
      return read_all(Npy({.inputs = inputs.string(), .targets = targets.string()}));
    });
  } else if (kind == "csv" || kind == "words") {
    const auto path = folder / "table.csv";
    write_table(path, size, kind == "words");
    measure(kind, [&] {
      const Csv csv({.path = path.string()});
      return rows_of(csv) * static_cast<std::size_t>(csv.spec().inputs[0].width()) * sizeof(float);
    });
  } else {
    throw std::invalid_argument("reads csv, words, npy or png, not " + kind);
  }
  fs::remove_all(folder);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "csv|words|npy|png [SIZE]", 1, measure_kind);
}

} // namespace troupe::bench::reading_benchmark
