#include "base/failure.hpp"
#include "model/data/table/csv.hpp"
#include "model/data/table/csv_table.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using TableLines = std::vector<std::string>;

/// Reads a table from text; all rows are for training.
Csv read_table(const std::string& text, CsvOptions options = {}, const std::string& fit = "") {
  const test::DataFolder folder;
  options.path = folder.write("table.csv", text);
  options.validation_fraction = options.test_fraction = 0;
  return Csv(options, fit);
}

std::string refusal_of(const std::string& text, const CsvOptions& options = {}) {
  return test::sentence_of<DataError>([&] { read_table(text, options); });
}

/// All notes on a table.
std::string notes_on(const std::string& text, const CsvOptions& options = {}) {
  std::string notes;
  for (const auto& line : read_table(text, options).reading_notes())
    notes += line + "\n";
  return notes;
}

/// The features and the target of the file's first row, in their own units.
std::vector<double> first_row(const std::string& text, CsvOptions options = {}) {
  options.standardize = false;
  options.task = "regression";
  const auto csv = read_table(text, options);
  const auto batch = test::gather_all(csv, Section::train);
  const auto width = csv.spec().inputs[0].width();
  std::vector<double> row;
  for (Index i = 0; i < batch.size; ++i)
    if (const auto* x = batch.inputs[0].values.data() + i * width; x[0] == 1.5F) {
      row.assign(x, x + width);
      row.push_back(batch.targets[0].values[static_cast<std::size_t>(i)]);
    }
  return row;
}

/// A table of many rows below the header, made of these lines.
std::string repeated(const std::string& header, const TableLines& rows, int times = 4) {
  auto text = header + "\n";
  for (int i = 0; i < times; ++i)
    for (const auto& row : rows)
      text += row + "\n";
  return text;
}

const std::vector<double> right{1.5, 2, -3};

} // namespace

TEST_CASE("the separator of a table is found and reported", "[csv_table]") {
  for (const auto* table :
       {"a,b,c\n1.5,2,-3\n2,3,4\n", "a;b;c\n1.5;2;-3\n2;3;4\n", "a\tb\tc\n1.5\t2\t-3\n2\t3\t4\n",
        "a|b|c\n1.5|2|-3\n2|3|4\n", " 1.5   2 -3\n 2  3\t4\n", "sep=;\na;b;c\n1.5;2;-3\n2;3;4\n",
        "a;b;c\n1,5;2;-3\n2;3;4\n", "a b c\n1,5 2 -3\n2 3 4\n"})
    CHECK(first_row(table) == right);
  CHECK_THAT(notes_on("a;b\n1;2\n3;4.5\n"), Contains("the separator is ;"));
  CHECK_THAT(notes_on("a b\n1 2\n3 4.5\n"), Contains("the separator is blanks"));
  CHECK(first_row("sep=;\na;b;c\n1.5;2;-3\n2;3;4\n", {.separator = ";"}) == right);
}

TEST_CASE("a blank before each unit does not separate cells", "[csv_table]") {
  const auto csv = read_table("1 m2|a|x|2.5|p\n2 m2|b|y|3.5|q\n3 m2|a|x|4.5|p\n");
  CHECK(csv.feature_names().front() == "column 1");
  CHECK(csv.class_names() == TableLines{"p", "q"});
  CHECK(read_table("31 Mar 2021\t1.5\n1 Apr 2021\t2.5\n").feature_names().size() == 2);
  CHECK(read_table("1,5;2,5\n3,5;4,25\n").spec().inputs[0].shape == Shape{any_size, 1});
}

TEST_CASE("a table that fits two separators is refused, and read with either", "[csv_table]") {
  const std::string table = "a;b,c\nx;y,z\nz;x,y\n";
  CHECK_THAT(refusal_of(table),
             Contains("problem.separator=\";\"") && Contains("problem.separator=\",\""));
  CHECK(read_table(table, {.separator = ";", .header = "yes"}).class_names()
        == TableLines{"x,y", "y,z"});
  CHECK(read_table(table, {.separator = ",", .header = "yes"}).class_names()
        == TableLines{"y", "z"});
}

TEST_CASE("the message about a line that does not fit names the separator", "[csv_table]") {
  CHECK_THAT(refusal_of("a;b;c\n1;2;3\n4;5;6\n7;8\n"),
             Contains("line 4, column 3: found 2 cells") && Contains("the separator ;"));
  CHECK_THAT(refusal_of("a\n1\n"), Contains("problem.separator (now ,)"));
}

TEST_CASE("empty columns at the ends of lines are skipped and counted", "[csv_table]") {
  CHECK(first_row("a,b,c,,\n1.5,2,-3,,\n2,3,4,,\n") == right);
  CHECK_THAT(notes_on("a,b,c,,\n1.5,2,-3,,\n2,3,4,,\n"), Contains("left out: the last 2 columns"));
}

TEST_CASE("a header is found with unusual names", "[csv_table]") {
  const auto names = [](const std::string& text) { return read_table(text).feature_names(); };
  CHECK(names(",a,y\n0,1.5,2\n1,2.5,3\n") == TableLines{"column 1", "a"});
  CHECK(names("\"\",\"a\",\"y\"\n\"1\",1.5,2\n\"2\",2.5,3\n") == TableLines{"column 1", "a"});
  CHECK(names("a,a,y\n1,2,2\n3,4,5\n") == TableLines{"a", "a.1"});
  CHECK(names("NA,K,y\n1,2,2\n3,4,5\n") == TableLines{"NA", "K"});
  CHECK(names("0,1,2\n5,7,1\n3,9,5\n") == TableLines{"0", "1"});
  CHECK(names(",0,1\n0,7,1\n1,4,5\n2,4,4\n") == TableLines{"column 1", "0"});
  CHECK(names("country,1990,1991\nFR,1.5,2\nDE,2,3.5\nIT,3,4\n")
        == TableLines{"country = DE", "country = FR", "country = IT", "1990"});
  CHECK(names("id,name,1990,1991\n5,x,1.5,2\n7,y,2,3.5\n").back() == "1990");
  CHECK(names("a b y\nr1 1 2 3\nr2 2 3 4\nr3 2 3 4\n").back() == "b"); // R's write.table
}

TEST_CASE("a title that counts rows and columns is refused", "[csv_table]") {
  const std::string rows = "5.1,3.5,0\n4.9,3.0,1\n4.7,3.2,0\n";
  CHECK_THAT(refusal_of("3,2,setosa\n" + rows),
             Contains("line 1, column 1") && Contains("delete that line"));
  CHECK_THAT(refusal_of("3,2,\n\"a\",\"b\",\"y\"\n" + rows), Contains("delete that line"));
  CHECK(read_table("3,2,1\n" + rows).size(Section::train) == 4); // numbers only
  CHECK_THAT(refusal_of("7,2,setosa\n" + rows), !Contains("delete"));
}

TEST_CASE("an advice to ignore a column can be typed into a shell", "[csv_table]") {
  const auto advice = [](const std::string& name) {
    std::string rows;
    for (int i = 1; i <= 20; ++i)
      rows += std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(i % 3) + "\n";
    return notes_on(name + ",x,y\n" + rows);
  };
  CHECK_THAT(advice("n"), Contains("problem.ignore=[n]"));
  CHECK_THAT(advice("'n'"), Contains(R"(problem.ignore='["'\''n'\''"]')"));
  CHECK_THAT(advice(R"("a ""n""\")"), Contains(R"(problem.ignore='["a \"n\"\\"]')"));
}

TEST_CASE("numbers with more digits than a double holds are reported", "[csv_table]") {
  CHECK_THAT(notes_on("n,x,y\n100000000000000001,1,2\n100000000000000002,3,5\n7,4,4\n"),
             Contains("last digits are lost; problem.categorical=[n]"));
}

TEST_CASE("^ and ~ are found as separators", "[csv_table]") {
  CHECK_THAT(notes_on("a^b^y\n1.5^2^3\n2^5^4\n"), Contains("the separator is ^"));
  CHECK_THAT(notes_on("a~b~y\n1.5~2~3\n2~5~4\n"), Contains("the separator is ~"));
}

TEST_CASE("words alone are a header where they do not occur below", "[csv_table]") {
  CHECK(read_table(repeated("colour,size,kind", {"red,big,a", "blue,small,b", "red,small,a"}))
          .size(Section::train)
        == 12);
  CHECK(read_table(repeated("red,big,a", {"red,big,a", "blue,small,b", "red,small,a"}))
          .size(Section::train)
        == 13);
  CHECK_THAT(refusal_of("country,2020\nFR,12\nDE,15\n"),
             Contains("a name or a value") && Contains("problem.header=yes"));
}

TEST_CASE("missing cells are counted by column and word, and skipped rows too", "[csv_table]") {
  const std::string table = "x,colour,kind\n1,red,a\nNA,red,b\n3,?,a\n5,,b\n";
  const auto dropped = notes_on(table, {.missing = "drop"});
  CHECK_THAT(dropped, Contains("cells without a value: x 1 (NA), colour 2 (empty 1, ? 1)"));
  CHECK_THAT(dropped, Contains("left out: 3 of 4 rows, for their cells of x, colour"));
  CHECK_THAT(notes_on(table, {.missing = "mean"}), Contains("x 1 (NA)") && !Contains("left out"));
  CHECK_THAT(refusal_of(table), Contains("line 3, column 1 (x): found no value but \"NA\"")
                                  && Contains("problem.missing_words=[]"));
}

TEST_CASE("words for missing values are values in the column to predict", "[csv_table]") {
  const std::string table = "x,element\n1,Na\n2,NA\n3,K\n4,?\n";
  CHECK(read_table(table).class_names() == TableLines{"?", "K", "NA", "Na"});
  CHECK_THAT(notes_on(table), Contains("?, NA are read as any other class of element"));
  CHECK_THAT(refusal_of("x,y\n1,0.5\n2,NA\n3,1.5\n"), Contains("line 3, column 2 (y)"));
  CHECK_THAT(notes_on("x,y\n1,0.5\n2,NA\n3,1.5\n", {.missing = "drop"}),
             Contains("y 1 (NA)") && Contains("left out: 1 of 3 rows"));
  CHECK(read_table("country,y\nNA,1\nDE,2\n", {.missing_words = {}}).feature_names()
        == TableLines{"country = DE", "country = NA"});
}

TEST_CASE("numbers are read in the style that their whole column has", "[csv_table]") {
  CHECK(first_row("a,b,c\n1.5,$2,-3\n2,$3,4\n") == right);
  CHECK(first_row("a,b,c\n1.5%,2 kg,(3)\n2.5%,3 kg,4\n") == right);
  CHECK(first_row("a,b,c\n1.5D+00,\"2\",\xE2\x88\x92"
                  "3\n2.5D+00,\"2,000\",4\n")
        == right);
  CHECK_THAT(notes_on("a,y\n\"$60,706\",1.5\n$5,2\n"),
             Contains("a: numbers such as \"$60,706\" are read as 60706"));
  CHECK(read_table("a,y\n1,\"$60,706.5\"\n2,$5\n").class_names().empty());
}

TEST_CASE("parentheses around each number of a column do not make it negative", "[csv_table]") {
  CHECK(read_table("a,y\n(5),1\n(7),2\n").feature_names() == TableLines{"a = (5)", "a = (7)"});
}

TEST_CASE("a comma before three digits groups thousands or is decimal by the rest of the table",
          "[csv_table]") {
  const auto mean = [](const std::string& text, const CsvOptions& options = {}) {
    return read_table(text, options).target_mean();
  };
  CHECK(mean("a,y\n1.5,\"2,137\"\n2,\"387\"\n", {.task = "regression"}) == (2137 + 387) / 2.);
  CHECK(mean("a;y\n0,5;2,137\n2;3,137\n") == Approx(2.637));
  CHECK(mean("a;y\n0,5;2.137\n2;3.137\n", {.task = "regression"}) == 2637);
  CHECK(mean("a;y\n0.5;2,137\n2;3,137\n", {.task = "regression"}) == 2637);
  const std::string unknown = "a;y\n1;2,137\n2;3,137\n";
  CHECK_THAT(refusal_of(unknown), Contains("line 2, column 2 (y): cannot tell whether \"2,137\"")
                                    && Contains("problem.decimal=point"));
  CHECK(mean(unknown, {.decimal = "comma"}) == Approx(2.637));
  CHECK(mean(unknown, {.decimal = "point", .task = "regression"}) == 2637);
}

TEST_CASE("words that look like numbers get a hint with two cells that differ", "[csv_table]") {
  CHECK_THAT(notes_on("w,y\n5 kg,1\n7 lb,2\n6 kg,3\n8 lb,3\n"),
             Contains("\"5 kg\" in") && Contains("\"7 lb\" in")
               && Contains("line 3, column 1 (w)"));
  CHECK_THAT(refusal_of("w,y\n5,1\n7,2\nn.a.,3\n"),
             Contains("found \"n.a.\"") && Contains("problem.missing_words='[+, \"n.a.\"]'"));
  CHECK(first_row("w,a,y\n1.5,2,-3\n7,2,2\nn.a.,2,3\n",
                  {.missing = "mean", .missing_words = {"+", "n.a."}})
        == right);
  for (const auto* text : {"x,y\n1e400,1\n2e400,0\n", "x,y\ninf,1\n5,0\n"})
    CHECK_THAT(refusal_of(text), Contains("expected a number that fits float32"));
}

TEST_CASE("numbers of another table are read in the style of the first", "[csv_table][fit]") {
  const auto own = read_table("a;y\n$1,5;1\n$2,5;2\n$3,5;1\n");
  const auto other = read_table("a;y\n$2,5;2\n", {}, own.fit());
  CHECK(test::gather_all(other, Section::train).inputs[0].values[0] == 0);
  CHECK(to_json(csv_fit_from(own.fit())) == own.fit());
  CHECK_THROWS_WITH(read_table("a;y\n2.5;2\n", {}, own.fit()), Contains("found \"2.5\""));
}

TEST_CASE("nearly unique levels, dates and row counters get a hint", "[csv_table]") {
  std::string ids = "id,a,y\n", dates = "when,a,y\n", counts = ",a,y\n";
  for (int i = 0; i < 40; ++i) {
    const auto rest = "," + std::to_string(i % 7) + ".5," + std::to_string(i % 2) + "\n";
    ids += "K" + std::to_string(i) + rest;
    dates += "2021-0" + std::to_string(1 + i % 9) + "-11" + rest;
    counts += std::to_string(i) + rest;
  }
  CHECK_THAT(notes_on(ids), Contains("hint: id has 40 levels in 40 training rows")
                              && Contains("problem.ignore=[id]"));
  CHECK_THAT(notes_on(ids, {.ignore = {"id"}}), !Contains("hint"));
  CHECK_THAT(notes_on(dates), Contains("hint: when has dates") && Contains("problem.dates=parts"));
  CHECK_THAT(notes_on(counts), Contains("column 1 counts the rows"));
}

TEST_CASE("codes, and numbers too close for float32, get a hint", "[csv_table]") {
  CHECK_THAT(notes_on("zip,y\n01234,1\n55555,2\n"), Contains("zip has numbers with leading zeros")
                                                      && Contains("problem.categorical=[zip]"));
  const std::string seconds = "x,y\n1,1700000000.25\n2,1700000000.5\n3,1700000000.75\n";
  CHECK_THAT(notes_on(seconds), !Contains("float32"));
  CHECK_THAT(notes_on(seconds, {.standardize = false}),
             Contains("y has numbers around 1700000001") && Contains("problem.standardize=true"));
}

TEST_CASE("a number of nines far from all others gets a hint, and its cure leaves it out",
          "[csv_table]") {
  const std::string table = "ozone,y\n41,1\n-999,2\n36,1\n-999.0,3\n12,1\n18,2\n";
  CHECK_THAT(notes_on(table), Contains("hint: ozone is -999, -999.0 in 2 of 6 rows, far from its "
                                       "other numbers (12 to 41)")
                                && Contains("problem.missing_words='[+, -999, -999.0]'"));
  CHECK_THAT(notes_on(table, {.missing = "drop", .missing_words = {"+", "-999", "-999.0"}}),
             !Contains("hint") && Contains("left out: 2 of 6 rows"));
  CHECK_THAT(notes_on("a,y\n1,3.5\n2,2.25\n3,99\n4,99\n", {.task = "regression"}),
             Contains("hint: y is 99 in 2 of 4 rows"));
}

TEST_CASE("a number of nines near the others, or a single large one, gets no hint", "[csv_table]") {
  CHECK_THAT(notes_on("a,y\n-9,1\n-8,2\n3,1\n7,2\n"), !Contains("hint"));
  CHECK_THAT(notes_on("a,y\n99,1\n3,2\n4,1\n7,2\n"), !Contains("hint"));
  CHECK_THAT(notes_on("a,y\n99,1\n99,2\n20,1\n60,2\n"), !Contains("hint"));
  CHECK_THAT(notes_on("a,y\n-999,1\n0,2\n-999,1\n0,2\n"), !Contains("hint"));
}

TEST_CASE("a table of one column is read with the separator of the first", "[csv_table][fit]") {
  const auto own = read_table("a;y\n1,5;1\n2,5;2\n3,5;1\n");
  const test::DataFolder folder;
  const auto rows = read_csv_rows({.path = folder.write("new.csv", "a\n2,5\n1,5\n")}, own.fit());
  CHECK(rows.row(0)[0] == 0);
  CHECK(rows.rows() == 2);
}

TEST_CASE("unquoted decimal commas are not taken for row names", "[csv_table]") {
  CHECK_THAT(refusal_of("a,b\n1,5,2\n2,5,3\n4,5,3\n"), Contains("found 3 cells, expected 2"));
}

TEST_CASE("dates become a number or parts on request", "[csv_table]") {
  const std::string table = "when,y\n2021-03-30 10:00,1\n2021-03-31 10:00,2\n2021-04-30 10:00,1\n";
  CHECK(read_table(table, {.dates = "number"}).feature_names() == TableLines{"when"});
  CHECK(read_table(table, {.dates = "parts"}).feature_names()
        == TableLines{"when (month)", "when (day)", "when (weekday)"});
  const auto own = read_table(table, {.dates = "parts"});
  CHECK(to_json(csv_fit_from(own.fit())) == own.fit());
  const auto other = read_table("when,y\n2022-04-01,1\n", {}, own.fit());
  CHECK(test::gather_all(other, Section::train).inputs[0].values[0] > 1);
  CHECK_THROWS_WITH(read_table("when,y\nsoon,1\n", {}, own.fit()), Contains("expected a date"));
  const std::string either = "when,y\n01/02/2021,1\n03/02/2021,2\n";
  CHECK_THAT(refusal_of(either, {.dates = "number"}), Contains("problem.day_first=yes"));
  CHECK_NOTHROW(read_table(either, {.dates = "number", .day_first = "no"}));
}

TEST_CASE("a target is centred before it becomes float32", "[csv_table]") {
  const auto csv = read_table("x,y\n1,1700000000.25\n2,1700000000.5\n3,1700000000.75\n");
  auto batch = test::gather_all(csv, Section::train);
  auto& values = batch.targets[0].values;
  std::sort(values.begin(), values.end());
  CHECK(values[0] == Approx(-1.2247449));
  CHECK(values[1] == 0);
  CHECK(values[2] == Approx(1.2247449));
}

TEST_CASE("UTF-16 is read and reported, and other encodings are refused with the line",
          "[csv_table]") {
  std::string little("\xFF\xFE", 2), big("\xFE\xFF", 2);
  for (const char c : std::string("a;y\n1,5;2\n2,5;3\n")) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  for (const auto& text : {little, big}) {
    CHECK_THAT(notes_on(text), Contains("the file is in UTF-16"));
    CHECK(read_table(text).feature_names() == TableLines{"a"});
  }
  CHECK_THAT(refusal_of(little + "x"), Contains("no UTF-16 here"));
  CHECK_THAT(refusal_of("a,y\nK\xF6ln,1\n"),
             Contains("line 2") && Contains("K?ln") && Contains("iconv -f CP1252 -t UTF-8"));
}

TEST_CASE("line ends inside cells are shown as \\n", "[csv_table]") {
  CHECK_THAT(notes_on("note,y\n\"one\ntwo\",1\nthree,2\n"), Contains("one\\ntwo, three"));
}
