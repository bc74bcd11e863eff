#include "base/failure.hpp"
#include "model/data/split.hpp"
#include "model/data/table/csv.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using Rows = std::vector<Index>;

Csv csv_of_rows(const test::DataFolder& folder, const std::string& text, CsvOptions options,
                const ChooseTrainingRows& choose = {}) {
  options.path = folder.write("x.csv", text);
  options.standardize = false;
  return Csv(options, "", choose);
}

/// Numbers 0, 1, 2, ... with targets half as large again.
std::string numbered(int rows) {
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i) + "," + std::to_string(i) + ".5\n";
  return text;
}

std::vector<float> first_inputs(const Problem& problem, Section section) {
  const auto batch = test::gather_all(problem, section);
  return {batch.inputs[0].values.begin(), batch.inputs[0].values.end()};
}

} // namespace

TEST_CASE("each section of a random split has its rows in the order of the file", "[split]") {
  const auto split
    = split_rows(100, {.validation_fraction = 0.2, .test_fraction = 0.3, .split_seed = 7});
  Rows all;
  for (const auto section : {Section::train, Section::validation, Section::test}) {
    const auto& rows = split.of(section);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  CHECK(split.test.size() == 30);
  CHECK(split.validation.size() == 20);
  CHECK(split.test.back() - split.test.front() > 30); // not a contiguous piece of the file
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(all.size() == 100);
}

TEST_CASE("an ordered split trains on the first rows and tests on the last", "[split]") {
  const auto split
    = split_rows(10, {.split = "ordered", .validation_fraction = 0.2, .test_fraction = 0.3});
  CHECK(split.train == Rows{0, 1, 2, 3, 4});
  CHECK(split.validation == Rows{5, 6});
  CHECK(split.test == Rows{7, 8, 9});
  CHECK_THROWS_WITH(split_rows(10, {.split = "sorted"}), Contains("write random or ordered"));
}

TEST_CASE("training rows are those that a sampler chooses", "[split]") {
  const auto split
    = split_rows(10, {.split = "ordered", .validation_fraction = 0.2, .test_fraction = 0.3});
  CHECK(trained_rows(split, {}) == split.train);
  const auto chosen = [](const SectionSizes& sizes) {
    return SectionSample{Section::test, {0, sizes[2] - 1}};
  };
  CHECK(trained_rows(split, chosen) == Rows{7, 9});
}

TEST_CASE("without shuffling a table is read in the order of its rows", "[split][csv]") {
  const test::DataFolder folder;
  const auto all
    = csv_of_rows(folder, numbered(30), {.validation_fraction = 0, .test_fraction = 0});
  const auto inputs = first_inputs(all, Section::train);
  CHECK(std::is_sorted(inputs.begin(), inputs.end()));
  const auto ordered = csv_of_rows(folder, numbered(10), {.split = "ordered"});
  CHECK(first_inputs(ordered, Section::validation) == std::vector<float>{8});
  CHECK(first_inputs(ordered, Section::test) == std::vector<float>{9});
}

TEST_CASE("a column may determine the section of a row", "[split][csv]") {
  const test::DataFolder folder;
  const std::string text = "x,part,y\n1,test,1.5\n2,train,2.5\n3,Validation,3.5\n4,TRAIN,4.5\n";
  const auto csv = csv_of_rows(folder, text, {.split = "column", .split_column = "part"});
  CHECK(csv.feature_names() == std::vector<std::string>{"x"});
  CHECK(first_inputs(csv, Section::train) == std::vector<float>{2, 4});
  CHECK(first_inputs(csv, Section::validation) == std::vector<float>{3});
  CHECK(first_inputs(csv, Section::test) == std::vector<float>{1});
}

TEST_CASE("a section column with another word is refused with its place", "[split][csv]") {
  const test::DataFolder folder;
  const auto sentence = [&folder](const std::string& text) {
    return test::sentence_of<DataError>(
      [&] { csv_of_rows(folder, text, {.split = "column", .split_column = "part"}); });
  };
  CHECK_THAT(sentence("x,part,y\n1,train,1.5\n2,tset,2.5\n"),
             Contains("line 3, column 2 (part): found \"tset\", expected train, validation or"));
  CHECK_THAT(sentence("x,part,y\n1,test,1.5\n2,test,2.5\n"),
             Contains("found no row with the word train"));
  CHECK_THROWS_WITH(csv_of_rows(folder, "x,y\n1,1.5\n2,2.5\n", {.split = "column"}),
                    Contains("split_column"));
}

TEST_CASE("a table's fit comes from the training rows", "[split][csv][M13]") {
  const test::DataFolder folder;
  std::string text = "x,word,y\n";
  for (int i = 0; i < 20; ++i)
    text += std::to_string(i) + (i < 4 ? ",few," : ",rest,") + std::to_string(i) + ".5\n";
  CsvOptions options{.path = folder.write("x.csv", text)};
  options.validation_fraction = options.test_fraction = 0;
  const Csv csv(options, "", [](const SectionSizes&) {
    return SectionSample{Section::train, {0, 1, 2, 3}};
  });
  CHECK(csv.target_mean() == Approx(2));
  CHECK(csv.feature_names() == std::vector<std::string>{"x", "word = few"});
  CHECK_THAT(csv.fit(), Contains("\"mean\": 1.5"));
}

TEST_CASE("classes are those of training rows, and others are masked and reported",
          "[split][csv]") {
  const test::DataFolder folder;
  CsvOptions options{.path = folder.write("x.csv", "x,kind\n1,b\n2,c\n3,a\n4,b\n5,z\n")};
  options.split = "ordered";
  options.validation_fraction = 0;
  options.test_fraction = 0.4;
  const Csv csv(options);
  CHECK(csv.class_names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(csv.spec().targets[0].masked);
  CHECK(test::gather_all(csv, Section::test).targets[0].classes == Buffer<std::int32_t>{1, -1});
  CHECK_THAT(csv.reading_notes().back(), Contains("1 row is of a class without training rows: z"));
  const Csv again(options, csv.fit()); // as `troupe test` reads it
  CHECK(test::gather_all(again, Section::test).targets[0].classes == Buffer<std::int32_t>{1, -1});
  CHECK(again.spec().targets[0].masked);
}

TEST_CASE("the target of a standardised table has a unit", "[split][csv]") {
  const test::DataFolder folder;
  CsvOptions options{.path = folder.write("x.csv", "x,y\n1,10.5\n2,30.5\n")};
  options.validation_fraction = options.test_fraction = 0;
  CHECK(Csv(options).spec().targets[0].unit == Approx(10));
  options.standardize = false;
  CHECK(Csv(options).spec().targets[0].unit == 1);
}
