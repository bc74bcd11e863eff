#include "base/failure.hpp"
#include "model/data/table/csv.hpp"
#include "model/tensor/random.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <set>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using Strings = std::vector<std::string>;

/// Loads a file with this text; all rows are for training unless the options say otherwise.
Csv load_csv(const std::string& text,
             CsvOptions options = {.validation_fraction = 0, .test_fraction = 0}) {
  const test::DataFolder folder;
  options.path = folder.write("x.csv", text);
  return Csv(options);
}

CsvOptions all_train() { return {.validation_fraction = 0, .test_fraction = 0}; }

std::string refusal(const std::string& text, CsvOptions options = all_train()) {
  return test::sentence_of<DataError>([&] { load_csv(text, options); });
}

/// "id,x,label" with 100 rows, all with the given text for x.
std::string hundred_rows(const std::function<std::string(int)>& x) {
  std::string text = "id,x,label\n";
  for (int i = 0; i < 100; ++i)
    text += std::to_string(i) + "," + x(i) + "," + std::to_string(i % 2) + "\n";
  return text;
}

/// Feature `feature` of all rows of a section, by the row's "id", which must be feature 0.
std::map<int, float> by_id(const Csv& csv, Section section, int feature) {
  const auto batch = test::gather_all(csv, section);
  const auto width = csv.spec().inputs[0].width();
  std::map<int, float> result;
  for (Index i = 0; i < batch.size; ++i) {
    const auto* row = batch.inputs[0].values.data() + i * width;
    result[int(row[0])] = row[feature];
  }
  return result;
}

} // namespace

TEST_CASE("rows of different lengths are refused with the line", "[csv]") {
  CHECK_THAT(refusal("1,2,0\n\"3\n\",4,0\n5,6\n"),
             Contains("line 4, column 3: found 2 cells, expected 3 as in line 1"));
  CHECK_THAT(refusal("1,2\n3,4,5\n"), Contains("line 2, column 3: found 3 cells, expected 2"));
  CHECK_THAT(refusal("\n\n"), Contains("found no row"));
}

TEST_CASE("a first row that may be a header or data is refused", "[csv]") {
  CHECK_THAT(refusal("a,1\n1,2\n3,4\n"), Contains("line 1, column 1: found \"a\" above numbers"));
  CHECK_THAT(refusal("colour,good\nred,yes\nblue,no\n"),
             Contains("set problem.header=yes or problem.header=no"));
  auto options = all_train();
  options.header = "yes";
  CHECK(load_csv("colour,good\nred,yes\nblue,no\n", options).size(Section::train) == 2);
  options.header = "no";
  CHECK(load_csv("colour,good\nred,yes\nblue,no\n", options).size(Section::train) == 3);
}

TEST_CASE("a header without rows is refused", "[csv]") {
  auto options = all_train();
  options.header = "yes";
  CHECK_THAT(refusal("a,b\n", options), Contains("line 2: found no row after the header"));
  CHECK_THAT(refusal("a,b\n"), Contains("found only this line, expected rows of values"));
}

TEST_CASE("features are numbers, and one per level; labels are sorted levels", "[csv]") {
  auto options = all_train();
  options.standardize = false;
  const auto csv = load_csv("size,colour,kind\n1,red,b\n2,blue,a\n3,red,b\n", options);
  CHECK(csv.feature_names() == Strings{"size", "colour = blue", "colour = red"});
  CHECK(to_string(csv.spec().inputs[0]) == "features float32 [any, 3]");
  CHECK(to_string(csv.spec().targets[0]) == "label class_index [any]");
  CHECK(csv.class_names() == Strings{"a", "b"});
  const auto batch = test::gather_all(csv, Section::train);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto* row = batch.inputs[0].values.data() + 3 * i;
    CHECK(row[1] == (row[0] == 2));
    CHECK(row[2] == (row[0] != 2));
    CHECK(batch.targets[0].classes[i] == (row[0] == 2 ? 0 : 1));
  }
}

TEST_CASE("the label may be a name, or a position from either end", "[csv]") {
  const std::string text = "kind,x,y\na,1,2\nb,3,4\n";
  for (const auto* label : {"kind", "1", "-3"}) {
    auto options = all_train();
    options.label = label;
    CHECK(load_csv(text, options).class_names() == Strings{"a", "b"});
  }
  for (const auto* label : {"0", "4", "-4", "kinds", ""}) {
    auto options = all_train();
    options.label = label;
    CHECK_THAT(test::sentence_of<std::invalid_argument>([&] { load_csv(text, options); }),
               Contains("kind, x, y"));
  }
}

TEST_CASE("columns may be ignored or declared categorical", "[csv]") {
  auto options = all_train();
  options.ignore = {"id"};
  options.categorical = {"x"};
  const auto csv = load_csv(hundred_rows([](int i) { return std::to_string(i % 3); }), options);
  CHECK(csv.feature_names() == Strings{"x = 0", "x = 1", "x = 2"});
  options.ignore = {"label"};
  CHECK_THROWS_AS(load_csv("x,label\n1,2\n", options), std::invalid_argument);
}

TEST_CASE("integer labels are classes; other numbers and many different integers are a regression",
          "[csv]") {
  std::string many;
  for (int i = 0; i < 21; ++i)
    many += "0," + std::to_string(i) + "\n";
  CHECK(load_csv(many).spec().targets[0].name == "target");
  CHECK(load_csv("1,10\n2,9\n3,10.0\n").class_names() == Strings{"9", "10"});
  CHECK(load_csv("1,0.5\n2,1\n").spec().targets[0].shape == Shape{any_size, 1});
  auto options = all_train();
  options.task = "regression";
  CHECK(load_csv("1,1\n2,2\n", options).class_names().empty());
  CHECK_THAT(refusal("1,1\n2,x\n", options), Contains("line 2, column 2: found \"x\""));
  options.task = "classification";
  CHECK(load_csv(many, options).spec().targets[0].classes == 21);
}

TEST_CASE("a typing error in a column of numbers is refused, not made a level", "[csv]") {
  const auto typo = [](int i) { return i == 41 ? "4l.5" : std::to_string(i); };
  for (auto seed : {0, 1, 2, 3, 4, 5}) // in whichever section it falls
    CHECK_THAT(refusal(hundred_rows(typo), {.split_seed = seed}),
               Contains("line 43, column 2 (x): found \"4l.5\""));
  CHECK_THAT(refusal("1,1.5\n2,2.5\n3,x\n"), Contains("line 3, column 2: found \"x\""));
}

TEST_CASE("features beyond the memory are in a temporary file, the same bit for bit",
          "[csv][memory]") {
  std::string text = "id,x,colour,when,y\n";
  for (int i = 0; i < 5000; ++i)
    text += std::to_string(i) + "," + (i % 7 == 0 ? "" : std::to_string(i * 0.37)) + ","
            + (i % 3 == 0 ? "red" : "blue") + ",2024-01-" + std::to_string(10 + i % 20) + ","
            + std::to_string(i % 11 * 1.5) + "\n";
  CsvOptions options{.task = "regression", .missing = "mean", .dates = "parts"};
  const auto whole = load_csv(text, options);
  options.memory = "64KB";
  const auto filed = load_csv(text, options);
  CHECK(whole.fit() == filed.fit());
  for (const auto section : {Section::train, Section::validation, Section::test})
    CHECK(test::gather_all(whole, section) == test::gather_all(filed, section));
  CHECK(filed.reading_notes().back().starts_with(
    "the features exceed problem.memory and are in a temporary file of 0.1 MB in "));
  options.memory = "100MB";
  CHECK(load_csv(text, options).reading_notes() == whole.reading_notes());
}

TEST_CASE("a memory that is no size is refused", "[csv][memory]") {
  auto options = all_train();
  options.memory = "much";
  CHECK_THAT(test::sentence_of<std::invalid_argument>([&] { load_csv("a,b\n1,2\n", options); }),
             Contains("memory is \"much\"; write a size such as 512MB or 4GB"));
  // cure: "; write a size such as 512MB or 4GB, or leave it out
  options.memory = "512MB";
  CHECK_NOTHROW(load_csv("a,b\n1,2\n", options));
}

TEST_CASE("standardised features have mean 0 and deviation 1 on the training rows", "[csv]") {
  CsvOptions options{.validation_fraction = 0.2, .test_fraction = 0.3};
  const auto csv = load_csv(hundred_rows([](int i) { return std::to_string(i * i); }), options);
  CHECK(csv.size(Section::train) == 50);
  CHECK(csv.size(Section::validation) == 20);
  CHECK(csv.size(Section::test) == 30);
  const auto moments = [&](Section section) {
    const auto batch = test::gather_all(csv, section);
    double sum = 0, squares = 0;
    for (Index i = 0; i < batch.size; ++i) {
      const double x = batch.inputs[0].values[std::size_t(2 * i + 1)];
      sum += x;
      squares += x * x;
    }
    const auto mean = sum / double(batch.size);
    return std::pair(mean, std::sqrt(squares / double(batch.size) - mean * mean));
  };
  CHECK(moments(Section::train).first == Approx(0).margin(1e-6));
  CHECK(moments(Section::train).second == Approx(1));
  CHECK(std::abs(moments(Section::test).first) > 1e-3); // it would be 0 if test rows were fitted
}

TEST_CASE("a constant column becomes 0", "[csv]") {
  const auto csv = load_csv("0.1,1,0\n0.1,2,1\n0.1,3,0\n");
  const auto batch = test::gather_all(csv, Section::train);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(batch.inputs[0].values[2 * i] == 0);
}

TEST_CASE("a level that no training row has is all zeros", "[csv]") {
  CsvOptions options{.standardize = false, .validation_fraction = 0, .test_fraction = 0.2};
  // First find out which rows are for training, then give the others a level of their own.
  const auto training
    = by_id(load_csv(hundred_rows([](int) { return "1"; }), options), Section::train, 0);
  const auto csv = load_csv(
    hundred_rows([&](int i) { return training.count(i) != 0 ? "known" : "new"; }), options);
  CHECK(csv.feature_names() == Strings{"id", "x = known"});
  for (const auto& [id, x] : by_id(csv, Section::train, 1))
    CHECK(x == 1);
  for (const auto& [id, x] : by_id(csv, Section::test, 1))
    CHECK(x == 0);
}

TEST_CASE("a word in a test row of a numeric column is refused", "[csv]") {
  CsvOptions options{.standardize = false, .validation_fraction = 0, .test_fraction = 0.2};
  const auto training
    = by_id(load_csv(hundred_rows([](int) { return "1"; }), options), Section::train, 0);
  CHECK_THAT(
    refusal(hundred_rows([&](int i) { return training.count(i) != 0 ? "1" : "word"; }), options),
    Contains("column 2 (x): found \"word\", expected a number"));
}

TEST_CASE("the target of a regression is standardised and can be converted back", "[csv]") {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += std::to_string(i) + "," + std::to_string(i * 2 + 0.5) + "\n";
  auto options = all_train();
  const auto csv = load_csv(text, options);
  CHECK(csv.target_mean() == Approx(49.5));
  options.standardize = false;
  const auto plain = load_csv(text, options);
  CHECK(plain.target_deviation() == 1);
  const auto a = test::gather_all(csv, Section::train), b = test::gather_all(plain, Section::train);
  for (std::size_t i = 0; i < 50; ++i)
    CHECK(csv.target_mean() + csv.target_deviation() * a.targets[0].values[i]
          == Approx(b.targets[0].values[i]));
}

TEST_CASE("missing cells are refused, dropped or filled, as the option says", "[csv]") {
  const std::string text = "x,colour,kind\n1,red,a\nNA,red,b\n3,?,a\n5,blue,\n";
  auto options = all_train();
  CHECK_THAT(refusal(text, options), Contains("line 3, column 1 (x): found no value"));
  options.missing = "drop";
  CHECK(load_csv(text, options).size(Section::train) == 1);
  options.missing = "mean";
  options.standardize = false;
  const auto csv = load_csv(text, options);
  CHECK(csv.size(Section::train) == 3); // no label, no row
  CHECK(csv.feature_names() == Strings{"x", "colour = ", "colour = red"});
  std::multiset<float> x;
  const auto batch = test::gather_all(csv, Section::train);
  for (std::size_t i = 0; i < 3; ++i)
    x.insert(batch.inputs[0].values[3 * i]);
  CHECK(x == std::multiset<float>{1, 2, 3});
  options.ignore = {"x", "kind", "-2"};
  options.label = "x";
  CHECK_THROWS_AS(load_csv(text, options), std::invalid_argument);
}

TEST_CASE("columns and labels without any value are refused", "[csv]") {
  auto options = all_train();
  options.missing = "mean";
  CHECK_THAT(refusal("x,y,l\n1,,0\n2,,1\n", options), Contains("column 2 (y): found no value"));
  CHECK_THAT(refusal("x,l\n1,\n2,\n", options), Contains("choose another label"));
  CHECK_THAT(refusal("x\n1\n2\n", options), Contains("no column besides the label"));
}

TEST_CASE("invalid options of csv are refused", "[csv]") {
  const auto refuses = [](auto change) {
    auto options = all_train();
    change(options);
    CHECK_THROWS_AS(load_csv("1,2\n3,4\n", options), std::invalid_argument);
  };
  refuses([](CsvOptions& o) { o.separator = ""; });
  refuses([](CsvOptions& o) { o.separator = "\""; });
  refuses([](CsvOptions& o) { o.separator = ",,"; });
  refuses([](CsvOptions& o) { o.header = "maybe"; });
  refuses([](CsvOptions& o) { o.task = "guess"; });
  refuses([](CsvOptions& o) { o.missing = "zero"; });
  refuses([](CsvOptions& o) { o.test_fraction = 1; });
  refuses([](CsvOptions& o) { o.test_fraction = std::nan(""); });
  refuses([](CsvOptions& o) { o.ignore = {"9"}; });
  CHECK_THROWS_AS(Csv({}), std::invalid_argument);
  CHECK_THROWS_AS(Csv({.path = "/nonexistent/x.csv"}), IoError);
}

TEST_CASE("fractions that leave no training row are refused", "[csv]") {
  CHECK_THROWS_WITH(
    load_csv("1,0\n2,1\n3,0\n4,1\n", {.validation_fraction = 0.5, .test_fraction = 0.5}),
    Contains("leave none of 4 rows to train on"));
}

TEST_CASE("random text is refused or loads, without a crash", "[csv]") {
  const test::DataFolder folder;
  Random random(RandomKey{3});
  const std::string alphabet = "0123456789.,,,,\n\n\n\"\"abc ;-?\r\t";
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (auto n = random.below(60); n > 0; --n)
      text += round % 4 == 0 ? char(random.below(256))
                             : alphabet[std::size_t(random.below(Index(alphabet.size())))];
    CsvOptions options{.path = folder.write("x.csv", text),
                       .header = round % 3 == 0 ? "no" : "auto",
                       .missing = round % 2 == 0 ? "mean" : "drop"};
    try {
      const Csv csv(options);
      const auto batch = test::gather_all(csv, Section::train);
      for (auto x : batch.inputs[0].values)
        REQUIRE(std::isfinite(x));
    } catch (const DataError&) {
    }
  }
}

TEST_CASE("abalone is a regression of 10 features, without a header", "[csv]") {
  if (!test::has_real_data("tabular/abalone.csv"))
    return;
  const Csv csv({.path = test::real_data("tabular/abalone.csv")});
  CHECK(csv.size(Section::train) + csv.size(Section::validation) + csv.size(Section::test) == 4177);
  CHECK(csv.spec().inputs[0].shape == Shape{any_size, 10}); // three sexes, seven measures
  CHECK(to_string(csv.spec().targets[0]) == "target float32 [any, 1]");
  CHECK(csv.target_mean() == Approx(9.93).margin(0.1));
}

TEST_CASE("banknotes are two classes of 4 features, without a header", "[csv]") {
  if (!test::has_real_data("tabular/banknote_authentication.csv"))
    return;
  const Csv csv({.path = test::real_data("tabular/banknote_authentication.csv")});
  CHECK(csv.size(Section::train) + csv.size(Section::validation) + csv.size(Section::test) == 1372);
  CHECK(csv.spec().inputs[0].shape == Shape{any_size, 4});
  CHECK(csv.class_names() == Strings{"0", "1"});
}

TEST_CASE("penguins are three species, with a header and missing cells", "[csv]") {
  if (!test::has_real_data("tabular/penguins.csv"))
    return;
  CsvOptions options{.path = test::real_data("tabular/penguins.csv"), .label = "species"};
  CHECK_THAT(test::sentence_of<DataError>([&] { Csv{options}; }), Contains("line 5, column 3"));
  options.missing = "mean";
  const Csv filled(options);
  CHECK(filled.size(Section::train) + filled.size(Section::validation) + filled.size(Section::test)
        == 344);
  CHECK(filled.class_names() == Strings{"Adelie", "Chinstrap", "Gentoo"});
  options.missing = "drop";
  const Csv dropped(options);
  CHECK(dropped.size(Section::train) + dropped.size(Section::validation)
          + dropped.size(Section::test)
        == 333);
}
