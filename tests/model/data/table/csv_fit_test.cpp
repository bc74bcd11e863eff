#include "base/failure.hpp"
#include "model/data/images/image_folder.hpp"
#include "model/data/sampled_problem.hpp"
#include "model/data/table/csv.hpp"
#include "model/data/text/text.hpp"
#include "model/formats/png.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using Words = std::vector<std::string>;

/// All rows are for training.
Csv csv_with(const std::string& text, const std::string& fit = "", CsvOptions options = {}) {
  const test::DataFolder folder;
  options.path = folder.write("table.csv", text);
  options.validation_fraction = options.test_fraction = 0;
  return Csv(options, fit);
}

std::string refusal_by(const std::string& fit, const std::string& text) {
  return test::sentence_of<DataError>([&] { csv_with(text, fit); });
}

const std::string animals = "legs,size,colour,kind\n6,1,red,ant\n6,2,black,bee\n4,6,black,cat\n";

std::string fit_of_animals() { return csv_with(animals).fit(); }

Batch only_row(const Csv& csv) {
  REQUIRE(csv.size(Section::train) == 1);
  return test::gather_all(csv, Section::train);
}

} // namespace

TEST_CASE("the fit of a table is read back bit for bit", "[csv][fit]") {
  CsvFit fit{"0f3a9c01", true, 4, {}, {"y", {}, 1.0 / 3, 2.0 / 7}};
  fit.features.push_back({.name = "x", .mean = 0.1, .deviation = 0, .standardized = true});
  fit.features.push_back({.name = "plain", .mean = 1e-300});
  fit.features.push_back({.name = "ö \"?\"", .numeric = false, .levels = {"", "a,b"}});
  const auto json = to_json(fit);
  CHECK(to_json(csv_fit_from(json)) == json);
  CHECK(csv_fit_from(json).target.mean == 1.0 / 3);
  CHECK(csv_fit_from(json).features[0].mean == 0.1);
  CHECK(csv_fit_from(json).features[1].standardized == false);
  fit.target = {"kind", {"b", "a"}};
  CHECK(csv_fit_from(to_json(fit)).target.classes == Words{"b", "a"});
  CHECK_THROWS_WITH(csv_fit_from("{}"), Contains("restore its problem.json"));
  // cure: ; restore its problem.json
  CHECK_NOTHROW(csv_fit_from(json));
  CHECK_THROWS_AS(csv_fit_from("{\"data\": "), DataError);
}

TEST_CASE("rows of another file are read with the fit of the first", "[csv][fit]") {
  const auto own = csv_with(animals);
  // Columns in another order, one more column, another mean, and some classes and levels missing.
  const auto other
    = csv_with("new,kind,size,colour,legs\n?,bee,2,black,6\n", own.fit(), {.missing = "error"});
  CHECK(other.feature_names() == own.feature_names());
  CHECK(other.class_names() == Words{"ant", "bee", "cat"});
  const auto row = only_row(other), rows = test::gather_all(own, Section::train);
  const auto width = static_cast<std::size_t>(own.spec().inputs[0].width());
  std::size_t matches = 0;
  for (std::size_t i = 0; i < 3; ++i)
    matches += rows.targets[0].classes[i] == row.targets[0].classes[0]
                   && std::equal(row.inputs[0].values.begin(), row.inputs[0].values.end(),
                                 rows.inputs[0].values.begin() + std::ptrdiff_t(i * width))
                 ? 1
                 : 0;
  CHECK(matches == 1);
  CHECK(row.targets[0].classes[0] == 1);
}

TEST_CASE("a level that the first file lacks is all zeros in other files", "[csv][fit]") {
  const auto batch = only_row(csv_with("legs,size,colour,kind\n4,6,white,cat\n", fit_of_animals()));
  CHECK(batch.inputs[0].values[2] == 0);
  CHECK(batch.inputs[0].values[3] == 0);
}

TEST_CASE("a class, a column or a number that the first file lacks is refused", "[csv][fit]") {
  CHECK_THAT(refusal_by(fit_of_animals(), "legs,size,colour,kind\n6,1,red,zebra\n"),
             Contains("line 2, column 4 (kind): found \"zebra\"") && Contains("ant, bee, cat")
               && Contains("correct the cell"));
  CHECK_THAT(refusal_by(fit_of_animals(), "legs,width,colour,kind\n6,1,red,ant\n"),
             Contains("no column \"size\"") && Contains("legs, width, colour, kind"));
  CHECK_THAT(refusal_by(fit_of_animals(), "legs,size,colour,kind\nsix,1,red,ant\n"),
             Contains("column 1 (legs): found \"six\""));
}

TEST_CASE("without a header columns are identified by position, and none may be added",
          "[csv][fit]") {
  const auto fit = csv_with("1,2,10\n3,5,9\n").fit();
  CHECK(csv_with("3,5,10.0\n", fit).class_names() == Words{"9", "10"});
  CHECK(only_row(csv_with("3,5,10.0\n", fit)).targets[0].classes[0] == 1);
  CHECK_THAT(refusal_by(fit, "1,3,5,9\n"), Contains("has 4 columns") && Contains("has 3"));
  CHECK_THAT(refusal_by(fit, "3,5,11\n"), Contains("found \"11\"") && Contains("9, 10"));
}

TEST_CASE("a target has the unit of the first file", "[csv][fit]") {
  const auto own = csv_with("x,y\n1,0.5\n2,1.5\n3,2.5\n");
  const auto other = csv_with("x,y\n2,100\n", own.fit());
  CHECK(other.target_mean() == own.target_mean());
  CHECK(only_row(other).inputs[0].values[0] == 0);
  CHECK(other.target_mean() + other.target_deviation() * only_row(other).targets[0].values[0]
        == Approx(100));
  CHECK_THAT(refusal_by(own.fit(), "x,y\n2,many\n"), Contains("expected a number"));
}

TEST_CASE("the fit tells whether the data are the same", "[csv][fit]") {
  const auto own = csv_with(animals).fit();
  CHECK(csv_with(animals, own).fit() == own);
  CHECK(csv_with(animals + "4,5,red,cat\n", own).fit() != own);
}

TEST_CASE("people can read how columns and decimal commas were interpreted", "[csv][fit]") {
  CHECK(csv_with(animals).reading_notes()
        == Words{"2 columns of numbers: legs, size", "colour: words, 2 levels: black, red",
                 "to predict: kind, one of 3 classes: ant, bee, cat"});
  CHECK(csv_with("a;b\n1,5;0,5\n2,5;0,7\n-2,25;0,5\n", "", {.separator = ";"}).reading_notes()
        == Words{"1 column of numbers: a", "to predict: b, a number",
                 "a, b: numbers such as \"1,5\" are read as 1.5"});
  CHECK(csv_with("x,y\n1,0.5\n2,0.25\n").reading_notes().back() == "to predict: y, a number");
}

TEST_CASE("classes that are long numbers are the same in other tables", "[csv][fit]") {
  const std::string rows = "x,y\n1,1000000001\n2,1000000002\n3,-0.12345678901234\n";
  const CsvOptions all{
    .header = "yes", .task = "classification", .validation_fraction = 0, .test_fraction = 0};
  const auto own = csv_with(rows, "", all);
  CHECK(own.class_names() == Words{"-0.12345678901234", "1000000001", "1000000002"});
  const auto class_of = [&](const std::string& label) {
    return only_row(csv_with("x,y\n9," + label + "\n", own.fit(), all)).targets[0].classes.front();
  };
  CHECK(class_of("-0.12345678901234") == 0);
  CHECK(class_of("1000000001") == 1);
  CHECK(class_of("1000000002.0") == 2);
  CHECK_THROWS_AS(csv_with("x,y\n9,1000000003\n", own.fit(), all), DataError);
  auto fit = csv_fit_from(own.fit());
  fit.target.classes[1] = fit.target.classes[0];
  CHECK_THROWS_WITH(csv_fit_from(to_json(fit)), Contains("names a class of y twice"));
  // cure: rows cannot be told apart; train it again
  CHECK_NOTHROW(csv_fit_from(csv_with(rows, "", all).fit()));
}

TEST_CASE("a text is read with the characters of an earlier one", "[text][fit]") {
  const test::DataFolder folder;
  const auto load = [&](const std::string& text, const std::string& fit) {
    return Text({.path = folder.write("a.txt", text),
                 .length = 3,
                 .validation_fraction = 0,
                 .test_fraction = 0},
                fit);
  };
  const auto own = load("ab\nä", "");
  CHECK(own.reading_notes() == Words{"4 different characters"});
  const auto other = load("xbab", own.fit());
  CHECK(other.class_names() == own.class_names());
  CHECK(other.spec().inputs[0].classes == own.spec().inputs[0].classes);
  const auto batch = test::gather_all(other, Section::train);
  CHECK(std::vector<float>(batch.inputs[0].values.begin(), batch.inputs[0].values.end())
        == std::vector<float>{4, 2, 1}); // x is unknown
  CHECK(load("ab\nä", own.fit()).fit() == own.fit());
  CHECK(load("ab\nää", own.fit()).fit() != own.fit());
  CHECK_THROWS_WITH(load("abcd", "{}"), Contains("restore its problem.json"));
  // cure: ; restore its problem.json
  CHECK_NOTHROW(load("abcd", own.fit()));
}

TEST_CASE("image folders have the classes of the earlier run", "[images][fit]") {
  const test::DataFolder folder;
  const auto add = [&](const std::string& name) {
    const auto path = folder.path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_png(path, {1, 1, 1, {7}});
  };
  const auto load = [&](const std::string& name, const std::string& fit) {
    return ImageFolder({.path = folder.path(name), .validation_fraction = 0, .test_fraction = 0},
                       fit);
  };
  for (const auto* name : {"one/ant/1.png", "one/bee/1.png", "two/bee/1.png", "three/zebra/1.png"})
    add(name);
  const auto own = load("one", "");
  const auto other = load("two", own.fit());
  CHECK(other.class_names() == Words{"ant", "bee"});
  CHECK(test::gather_all(other, Section::train).targets[0].classes.front() == 1);
  CHECK(load("one", own.fit()).fit() == own.fit());
  CHECK_THAT(test::sentence_of<DataError>([&] { load("three", own.fit()); }),
             Contains("three/zebra is not a class") && Contains("ant, bee"));
}

TEST_CASE("rows that a sampler chooses are read with the same fit", "[csv][fit][M13]") {
  const auto csv = std::make_shared<Csv>(csv_with(animals));
  SectionSamples samples;
  samples[0] = SectionSample{Section::train, {0, 1}};
  const SampledProblem sampled{csv, samples};
  CHECK(fit_of(sampled) == csv->fit());
  CHECK(sampled.reading_notes() == csv->reading_notes());
}
