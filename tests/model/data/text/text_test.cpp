#include "base/failure.hpp"
#include "model/data/text/text.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// A row as text, with ? for a character unknown in training and _ for a masked one.
std::pair<std::string, std::string> window_of(const Text& problem, Section section, Index row) {
  Batch batch;
  problem.gather(section, std::vector<Index>{row}, batch);
  const auto names = problem.class_names();
  std::string text, next;
  for (auto id : batch.inputs[0].values)
    text += std::size_t(id) == names.size() ? "?" : names.at(std::size_t(id));
  for (auto id : batch.targets[0].classes)
    next += id == masked_class ? "_" : names.at(std::size_t(id));
  return {text, next};
}

using Window = std::pair<std::string, std::string>;

} // namespace

TEST_CASE("a window of text asks for the next character at each position", "[text]") {
  const test::DataFolder folder;
  const Text text({.path = folder.write("a.txt", "abcdefghijklmnopqrst"), .length = 4});
  CHECK(text.size(Section::train) == 3); // of abcdefghijklmnop
  CHECK(window_of(text, Section::train, 0) == Window{"abcd", "bcde"});
  CHECK(window_of(text, Section::train, 2) == Window{"ijkl", "jklm"});
  CHECK(text.size(Section::validation) == 0); // qr is too short
  CHECK_THROWS_AS(window_of(text, Section::train, 3), std::out_of_range);
  CHECK(to_string(text.spec().inputs[0]) == "text float32 [any, 4]");
  CHECK(text.spec().targets[0].classes == 16);
}

TEST_CASE("windows of text begin a stride apart and stay in their section", "[text]") {
  const test::DataFolder folder;
  const Text text({.path = folder.write("a.txt", "aabbaabbaababbbabaab"),
                   .length = 3,
                   .stride = 1,
                   .validation_fraction = 0.25,
                   .test_fraction = 0.25});
  CHECK(text.size(Section::train) == 7);
  CHECK(window_of(text, Section::train, 6) == Window{"bba", "baa"});
  CHECK(text.size(Section::validation) == 2);
  CHECK(window_of(text, Section::validation, 1) == Window{"abb", "bbb"});
  CHECK(window_of(text, Section::test, 1) == Window{"baa", "aab"});
}

TEST_CASE("a character unknown in training is an id of its own, and masked", "[text]") {
  const test::DataFolder folder;
  const TextOptions options{.path = folder.write("a.txt", "ababababab"
                                                          "axbaxba"),
                            .length = 3,
                            .validation_fraction = 0,
                            .test_fraction = 0.4};
  const Text text(options);
  CHECK(window_of(text, Section::test, 0) == Window{"a?b", "_ba"});
  CHECK(text.spec().targets[0].masked);
  CHECK(Network(text.spec()).loss_name() == "masked_cross_entropy");
}

TEST_CASE("text is read as UTF-8, character by character", "[text]") {
  const test::DataFolder folder;
  const Text text({.path = folder.write("a.txt", "äö€\n\U0001F600äö€\n"),
                   .length = 4,
                   .validation_fraction = 0,
                   .test_fraction = 0});
  CHECK(window_of(text, Section::train, 0) == Window{"äö€\\n", "ö€\\n\U0001F600"});
  CHECK(text.class_names() == std::vector<std::string>{"\\n", "ä", "ö", "€", "\U0001F600"});
}

TEST_CASE("text that is not UTF-8 is refused with file, line and byte", "[text]") {
  const test::DataFolder folder;
  const auto sentence = [&folder](const std::string& bytes) {
    const auto path = folder.write("broken.txt", bytes);
    return test::sentence_of<DataError>([&] { Text({.path = path, .length = 1}); });
  };
  CHECK_THAT(sentence("one\ntw\xff o"),
             Contains("broken.txt, line 2, byte 6: found 0xff") && Contains("iconv"));
  CHECK_THAT(sentence("ab\xc3"), Contains("byte 2"));         // ends early
  CHECK_THAT(sentence("ab\xc0\x80"), Contains("byte 2"));     // overlong
  CHECK_THAT(sentence("ab\xe0\x80\x80"), Contains("byte 2")); // likewise
  CHECK_THAT(sentence("ab\xed\xa0\x80"), Contains("byte 2")); // half of a surrogate pair
  CHECK_THAT(sentence("ab\xf4\x90\x80\x80"), Contains("byte 2"));
  CHECK_THAT(sentence("ab\xc3z"), Contains("byte 2"));
}

TEST_CASE("a folder of text is read by file name", "[text]") {
  const test::DataFolder folder;
  folder.write("2.txt", "defg");
  folder.write("1.txt", "abc");
  folder.write("note.md", "no text");
  const Text text(
    {.path = folder.path(""), .length = 6, .validation_fraction = 0, .test_fraction = 0});
  CHECK(window_of(text, Section::train, 0) == Window{"abcdef", "bcdefg"});
}

TEST_CASE("a text folder with a link to itself is refused with the link", "[text]") {
  const test::DataFolder folder;
  folder.write("1.txt", "abcabcabc");
  std::filesystem::create_symlink("note", folder.path("note")); // not a text file
  CHECK_NOTHROW(Text({.path = folder.path(""), .length = 2}));
  std::filesystem::create_symlink("loop.txt", folder.path("loop.txt"));
  CHECK_THAT(test::sentence_of<IoError>([&] { Text({.path = folder.path("")}); }),
             Contains("loop.txt") && Contains("remove it from the folder"));
  // cure: ; repair it, or remove it from the folder
  std::filesystem::remove(folder.path("loop.txt"));
  CHECK_NOTHROW(Text({.path = folder.path(""), .length = 2}));
  std::filesystem::create_symlink("1.txt", folder.path("loop.txt"));
  CHECK_NOTHROW(Text({.path = folder.path(""), .length = 2}));
}

TEST_CASE("text that is missing, empty or too short is refused", "[text]") {
  const test::DataFolder folder;
  CHECK_THROWS_AS(Text({.path = folder.path("no.txt")}), IoError);
  CHECK_THAT(test::sentence_of<DataError>([&] { Text({.path = folder.path("")}); }),
             Contains("no file *.txt"));
  const auto short_text = folder.write("a.txt", "short");
  CHECK_THAT(test::sentence_of<DataError>([&] { Text({.path = short_text, .length = 5}); }),
             Contains("a.txt") && Contains("at least 6"));
}

TEST_CASE("invalid options of text are refused", "[text]") {
  CHECK_THROWS_WITH(Text({}), Contains("give the path"));
  CHECK_THROWS_WITH(Text({.path = "a", .length = 0}), Contains("length of 1"));
  CHECK_THROWS_WITH(Text({.path = "a", .validation_fraction = 0.5, .test_fraction = 0.5}),
                    Contains("less than 1"));
}

TEST_CASE("the works of Shakespeare have 65 characters", "[text]") {
  if (!test::has_real_data("text/tinyshakespeare.txt"))
    return;
  const Text text({.path = test::real_data("text/tinyshakespeare.txt"), .length = 100});
  CHECK(text.spec().targets[0].classes == 65);
  CHECK_FALSE(text.spec().targets[0].masked);
  CHECK(text.size(Section::train) == 8923);
  CHECK(window_of(text, Section::train, 0).first.starts_with("First Citizen:\\nBefore we"));
}

TEST_CASE("streams are parallel pieces of the text, and each batch continues the one before",
          "[text][carry]") {
  const test::DataFolder folder;
  const Text text({.path = folder.write("a.txt", "abcdefghijklmnopqrstuvwxyz"),
                   .length = 2,
                   .validation_fraction = 0,
                   .test_fraction = 0,
                   .streams = 3});
  CHECK(text.spec().streams == 3);
  CHECK(text.size(Section::train) == 12); // of 12 windows
  const std::vector<std::string> expected{"ab", "ij", "qr", "cd", "kl", "st"};
  for (Index row = 0; row < 6; ++row)
    CHECK(window_of(text, Section::train, row).first == expected[static_cast<std::size_t>(row)]);
  Batch batch;
  const auto continues_batch = [&](const std::vector<Index>& rows) {
    text.gather(Section::train, rows, batch);
    return batch.continues;
  };
  CHECK_FALSE(continues_batch({0, 1, 2})); // the beginning of the streams
  CHECK(continues_batch({3, 4, 5}));
  CHECK(continues_batch({9, 10, 11}));
  CHECK_FALSE(continues_batch({4, 5, 6}));
  CHECK_FALSE(continues_batch({3, 4}));
  CHECK_FALSE(continues_batch({5, 4, 3}));
}

TEST_CASE("streams of windows that do not continue, or do not fit, are refused", "[text][carry]") {
  const test::DataFolder folder;
  const auto path = folder.write("a.txt", "abcdefghij");
  CHECK_THROWS_WITH(Text({.path = path, .length = 3, .stride = 1, .streams = 2}),
                    Contains("2 streams") && Contains("a stride of 0"));
  CHECK_THROWS_WITH(Text({.path = path, .streams = -1}), Contains("-1 streams"));
  CHECK_THROWS_WITH(Text({.path = path, .length = 4, .streams = 3}),
                    Contains("at least 13, one more than a window of each stream"));
}

TEST_CASE("a byte-order mark at the beginning of a text file is not a character", "[text]") {
  const test::DataFolder folder;
  const Text plain({.path = folder.write("a.txt", "abcdefghijklmnopqrst"), .length = 4});
  const Text marked({.path = folder.write("b.txt", "\xef\xbb\xbf"
                                                   "abcdefghijklmnopqrst"),
                     .length = 4});
  CHECK(marked.class_names() == plain.class_names());
  CHECK(window_of(marked, Section::train, 0) == window_of(plain, Section::train, 0));
}

TEST_CASE("files of a folder that are not text are reported", "[text]") {
  const test::DataFolder folder;
  folder.write("1.TXT", "abcabcabcabc");
  folder.write("2.md", "# none");
  const Text text({.path = folder.path(""), .length = 2});
  CHECK_THAT(text.reading_notes().at(1), Contains("1 entry is skipped") && Contains("2.md"));
}

TEST_CASE("the vocabulary is that of the training windows", "[text][M13]") {
  const test::DataFolder folder;
  TextOptions options{.path = folder.write("a.txt", "aabbccddeeffgghh"), .length = 2};
  options.validation_fraction = options.test_fraction = 0;
  const Text text(options, "", [](const SectionSizes&) {
    return SectionSample{Section::train, {0, 2}};
  });
  CHECK(text.class_names() == std::vector<std::string>{"a", "b", "c", "d"});
}
