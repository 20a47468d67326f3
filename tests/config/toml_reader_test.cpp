// Every refusal of the strict reader, with its exact words: an operator acts on them.
#include "config/toml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "config/toml_bounds.h"
#include "tests/fresh_folder.h"
#include "tests/refusal.h"

namespace datum::config {
namespace {

template <class Read>
std::string refusal_of(const std::string& text, Read read) {
  return testing::refusal_of<ConfigError>([&] {
    auto table = TomlTable::from_text(text, "f.toml");
    read(table);
  });
}

struct Refused {
  const char* text;
  void (*read)(TomlTable&);
  const char* message;
};

class TomlRefusal : public ::testing::TestWithParam<Refused> {};

TEST_P(TomlRefusal, SaysWhereWhatAndWhatIsAllowed) {
  EXPECT_EQ(refusal_of(GetParam().text, GetParam().read), GetParam().message);
}

const Refused refusals[] = {
    {"a = 1", [](TomlTable& t) { t.text("a"); }, "f.toml:1:5: a: is not a text; allowed: a text in quotes"},
    {"", [](TomlTable& t) { t.text("a"); }, "f.toml:1:1: a: missing; allowed: a text in quotes"},
    {"a = 'x'", [](TomlTable& t) { t.boolean("a"); },
     "f.toml:1:5: a: is not a truth value; allowed: true or false"},
    {"", [](TomlTable& t) { t.boolean("a"); }, "f.toml:1:1: a: missing; allowed: true or false"},
    {"\n a = '1'", [](TomlTable& t) { t.number("a"); },
     "f.toml:2:6: a: \"1\" is in quotes, which makes it a text; allowed: a number, any finite number"},
    {"a = 'x'", [](TomlTable& t) { t.number("a"); },
     "f.toml:1:5: a: is not a number; allowed: a number, any finite number"},
    {"a = '5'", [](TomlTable& t) { t.integer("a", 1, 9); },
     "f.toml:1:5: a: \"5\" is in quotes, which makes it a text; allowed: a whole number from 1 to 9"},
    {"a = true",
     [](TomlTable& t) {
       t.number("a", {0, 1});
     },
     "f.toml:1:5: a: is not a number; allowed: a number, from 0 to 1"},
    {"", [](TomlTable& t) { t.number("a", positive); },
     "f.toml:1:1: a: missing; allowed: a number, more than 0"},
    {"a = 0", [](TomlTable& t) { t.number("a", positive); },
     "f.toml:1:5: a: 0 is out of range; allowed: more than 0"},
    {"a = -0.5", [](TomlTable& t) { t.number("a", not_negative); },
     "f.toml:1:5: a: -0.5 is out of range; allowed: at least 0"},
    {"a = 1.25",
     [](TomlTable& t) {
       t.number("a", {0, 1});
     },
     "f.toml:1:5: a: 1.25 is out of range; allowed: from 0 to 1"},
    {"a = 2",
     [](TomlTable& t) {
       t.number("a", {positive.min, 1});
     },
     "f.toml:1:5: a: 2 is out of range; allowed: more than 0 and at most 1"},
    {"a = nan", [](TomlTable& t) { t.number("a"); },
     "f.toml:1:5: a: nan is out of range; allowed: any finite number"},
    {"a = -inf", [](TomlTable& t) { t.number_if("a"); },
     "f.toml:1:5: a: -inf is out of range; allowed: any finite number"},
    {"a = 1.0", [](TomlTable& t) { t.integer("a", 1, 4); },
     "f.toml:1:5: a: has a decimal point; allowed: a whole number from 1 to 4"},
    {"a = 5", [](TomlTable& t) { t.integer_or("a", 2, 1, 4); },
     "f.toml:1:5: a: 5 is out of range; allowed: a whole number from 1 to 4"},
    {"a = 5", [](TomlTable& t) { t.numbers("a", 2); },
     "f.toml:1:5: a: is not an array; allowed: an array of 2 finite numbers"},
    {"a = [1]", [](TomlTable& t) { t.numbers("a", 2); },
     "f.toml:1:5: a: has 1 elements; allowed: an array of 2 finite numbers"},
    {"a = [1, 'x']", [](TomlTable& t) { t.numbers("a", 2); },
     "f.toml:1:5: a: is not an array of numbers; allowed: an array of 2 finite numbers"},
    {"a = [1, '2']", [](TomlTable& t) { t.numbers("a", 2); },
     "f.toml:1:5: a: \"2\" is in quotes, which makes it a text; allowed: an array of 2 finite numbers"},
    {"a = [1, true]", [](TomlTable& t) { t.numbers("a", 2); },
     "f.toml:1:5: a: has an element that is not a finite number; allowed: an array of 2 finite numbers"},
    {"a = [1, inf]", [](TomlTable& t) { t.numbers("a", 2); },
     "f.toml:1:5: a: has an element that is not a finite number; allowed: an array of 2 finite numbers"},
    {"a = [1, 0]", [](TomlTable& t) { t.numbers("a", 2, positive); },
     "f.toml:1:5: a: 0 is out of range; allowed: an array of 2 finite numbers, each more than 0"},
    {"a = []", [](TomlTable& t) { t.numbers_between("a", 1, 9); },
     "f.toml:1:5: a: has 0 elements; allowed: an array of 1 to 9 finite numbers"},
    {"a = ['x', 3]", [](TomlTable& t) { t.texts("a"); },
     "f.toml:1:5: a: has an element that is not a text; allowed: an array of texts"},
    {"a = 'x'", [](TomlTable& t) { t.texts_or("a", {}); },
     "f.toml:1:5: a: is not an array; allowed: an array of texts"},
    {"a = 'maybe'",
     [](TomlTable& t) {
       t.choice<int>("a", {{"yes", 1}, {"no", 0}});
     },
     "f.toml:1:5: a: 'maybe' is not known; allowed: one of: yes, no"},
    {"",
     [](TomlTable& t) {
       t.choice<int>("a", {{"yes", 1}, {"no", 0}});
     },
     "f.toml:1:1: a: missing; allowed: one of: yes, no"},
    {"", [](TomlTable& t) { t.table("a"); }, "f.toml:1:1: a: missing; allowed: a table [a]"},
    {"a = 1", [](TomlTable& t) { t.table_if("a"); }, "f.toml:1:5: a: is not a table; allowed: a table [a]"},
    {"[a]", [](TomlTable& t) { t.tables("a"); }, "f.toml:1:1: a: is not an array of tables; allowed: [[a]]"},
    {"a = [1]", [](TomlTable& t) { t.tables("a"); },
     "f.toml:1:5: a: has an element that is not a table; allowed: [[a]]"},
    {"[a]\n  [a.b]\n  x = 1", [](TomlTable& t) { t.table("a").table("b").text("x"); },
     "f.toml:3:7: a.b.x: is not a text; allowed: a text in quotes"},
    {"[[a]]\n[[a]]\nx = 1", [](TomlTable& t) { t.tables("a").at(1).text("x"); },
     "f.toml:3:5: a[1].x: is not a text; allowed: a text in quotes"},
    {"\nerode_pixels = 2\n", [](TomlTable& t) { t.number_if("erode_px"), t.number_if("size"), t.finish(); },
     "f.toml:2:1: erode_pixels: unknown key (did you mean 'erode_px'?); allowed: one of: erode_px, size"},
    {"colour = 2\n", [](TomlTable& t) { t.number_if("erode_px"), t.finish(); },
     "f.toml:1:1: colour: unknown key; allowed: one of: erode_px"},
    {"tolerence_um = 4\n",
     [](TomlTable& t) {
       t.only_keys({"lower_um", "tolerance_um", "upper_um"});
     },
     "f.toml:1:1: tolerence_um: unknown key (did you mean 'tolerance_um'?); allowed: one of: lower_um, "
     "tolerance_um, upper_um"},
    {"prot = 4\n",
     [](TomlTable& t) {
       t.only_keys({"path", "port"});
     },
     "f.toml:1:1: prot: unknown key (did you mean 'port'?); allowed: one of: path, port"},
    {"Body_MM = 4\n", [](TomlTable& t) { t.only_keys({"body_mm"}); },
     "f.toml:1:1: Body_MM: unknown key (did you mean 'body_mm'?); allowed: one of: body_mm"},
    {"body = 4\n",
     [](TomlTable& t) {
       t.only_keys({"body_mm", "other"});
     },
     "f.toml:1:1: body: unknown key (did you mean 'body_mm'?); allowed: one of: body_mm, other"},
    {"C4 = 4\n",
     [](TomlTable& t) {
       t.only_keys({"C0", "C1"});
     },
     "f.toml:1:1: C4: unknown key; allowed: one of: C0, C1"},
    {"a = 1\nb = 2",
     [](TomlTable& t) {
       t.only_keys({"a", "b"}), t.number("a"), t.finish();
     },
     "f.toml:2:1: b: has no effect beside the other keys of this table; allowed: one of: a"},
    {"name = 'U3'\n", [](TomlTable& t) { t.name_by("name"), t.number("body_mm"); },
     "f.toml:1:1: U3.body_mm: missing; allowed: a number, any finite number"},
    {"name = 'U 3'\n", [](TomlTable& t) { t.name_by("name"), t.number("body_mm"); },
     "f.toml:1:1: body_mm: missing; allowed: a number, any finite number"},
    {"a = 'bsu'",
     [](TomlTable& t) {
       t.choice<int>("a", {{"bus", 1}, {"on_frame", 0}});
     },
     "f.toml:1:5: a: 'bsu' is not known (did you mean 'bus'?); allowed: one of: bus, on_frame"},
    {"a = 5",
     [](TomlTable& t) {
       t.choice<int>("a", {{"bus", 1}});
     },
     "f.toml:1:5: a: is not a text in quotes; allowed: one of: bus"},
    {"z = 1\ny = 2", [](TomlTable& t) { t.finish(); }, "f.toml:1:1: z: unknown key; allowed: no key at all"},
};
INSTANTIATE_TEST_SUITE_P(All, TomlRefusal, ::testing::ValuesIn(refusals));

TEST(TomlReader, ReadsEveryKindOfValue) {
  auto t = TomlTable::from_text(
      "text = 'x'\nflag = true\nnumber = 3\ncount = 7\npair = [1, 2.5]\nwords = ['a', 'b']\n"
      "[sub]\n[sub.one]\n[sub.two]\n[[list]]\n[[list]]\n",
      "f.toml");
  EXPECT_EQ(t.text("text"), "x");
  EXPECT_TRUE(t.boolean("flag"));
  EXPECT_EQ(t.number("number"), 3.0);
  EXPECT_EQ(t.integer("count", 0, 9), 7);
  EXPECT_EQ(t.numbers("pair", 2), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(t.texts("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(t.table("sub").table_names(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(t.tables("list").size(), 2u);
  t.finish();
}

TEST(TomlReader, FallsBackOnlyWhereTheKeyIsAbsent) {
  auto t = TomlTable::from_text("present = 4", "f.toml");
  EXPECT_EQ(t.number_or("absent", 2.5, {0, 3}), 2.5);
  EXPECT_EQ(t.text_or("nothing", "x"), "x");
  EXPECT_THROW(t.number_or("present", 2.5, {0, 3}), ConfigError);
}

// The parser's own words and columns differ between its releases; file, line and "not valid TOML" are
// datumd's.
TEST(TomlReader, BrokenTextIsRefusedWithItsLine) {
  const auto nothing = [](TomlTable&) {};
  const auto broken = ::testing::MatchesRegex("f.toml:2:[0-9]+: not valid TOML: .+");
  EXPECT_THAT(refusal_of("b = 1\na = [1, 2", nothing), broken);
  EXPECT_THAT(refusal_of("b = 1\na = 'caf\xe9'", nothing), broken);
  EXPECT_THAT(refusal_of(std::string("b = 1\n\0a = 2", 12), nothing), broken);
  EXPECT_THAT(refusal_of("a = 1\na = 2", nothing), broken);
}

/// FIPS 180-2 appendix B.1: the digest of "abc"; here of a document, so of the same three bytes as a comment
/// is not.
TEST(TomlReader, NamesTheDocumentByTheSha256OfItsBytes) {
  const auto empty = TomlTable::from_text("", "f.toml");
  EXPECT_EQ(empty.sha256(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  auto one = TomlTable::from_text("[a]\n", "f.toml"), other = TomlTable::from_text("[a] \n", "f.toml");
  EXPECT_NE(one.sha256(), other.sha256());
  EXPECT_EQ(one.table("a").sha256(), one.sha256());
}

TEST(TomlReader, RefusesFilesThatCannotBeRead) {
  const testing::FreshFolder fresh;
  const auto& folder = fresh.path();
  const auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      TomlTable::from_file(path);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  const std::string rest =
      ": cannot be read; allowed: a readable TOML file (check the path and its permissions)";
  EXPECT_EQ(message(folder / "absent.toml"), (folder / "absent.toml").string() + rest);
  EXPECT_EQ(message(folder), folder.string() + rest);
  EXPECT_EQ(message(fresh.write("empty.toml", "")), "(accepted)")
      << "an empty file is a document without keys";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string bounds_refusal(const std::string& text) {
  return refusal_of(text, [](TomlTable&) {});
}

TEST(TomlBounds, AKeyOfManyPartsIsRefusedBeforeItIsFollowed) {
  const std::string deep = "a" + repeated(".a", 35000);
  const std::string refusal =
      "f.toml:2:32: a key has more than 16 parts; allowed: at most 16 parts, divided by dots";
  EXPECT_EQ(bounds_refusal("\n" + deep.substr(0, 60001) + " = 1"), refusal);
  EXPECT_EQ(bounds_refusal("\n[" + deep.substr(0, 60001) + "]").substr(0, 13), "f.toml:2:33: ");
  EXPECT_EQ(bounds_refusal("b = 1\n" + deep + " = 1"),
            "f.toml:2:1: is a line of 70005 bytes; allowed: at most 65536 bytes a line");
  EXPECT_EQ(bounds_refusal("x = { y = 1, " + repeated("a.", 17) + "b = 1 }").substr(0, 13), "f.toml:1:45: ");
  EXPECT_EQ(bounds_refusal(repeated("a.", 15) + "a = 1"), "(accepted)");
  EXPECT_EQ(bounds_refusal("a = [" + repeated("1.5, ", 1000) + "1.5]"), "(accepted)");
}

TEST(TomlBounds, BracketsAreCounted) {
  EXPECT_EQ(
      bounds_refusal("a = " + repeated("[", 17) + repeated("]", 17)),
      "f.toml:1:21: brackets are nested deeper than 16; allowed: at most 16 brackets within each other");
  EXPECT_EQ(bounds_refusal("a = " + repeated("{a=", 20000)).substr(0, 13), "f.toml:1:53: ");
  EXPECT_EQ(bounds_refusal("a = " + repeated("[", 16) + repeated("]", 16)), "(accepted)");
  EXPECT_EQ(bounds_refusal(repeated("[[t]]\nb = [[1], [2]]\n", 100)), "(accepted)");
}

/// A text in which strings and comments hide dots; behind each a key of too many parts is still seen.
TEST(TomlBounds, WhatStandsInStringsAndCommentsIsNoKey) {
  const std::string dots = repeated("a.", 40), many = dots + "b = 1";
  const std::string strings[] = {"'" + dots + "'",
                                 "\"" + dots + "\"",
                                 R"("\")" + dots + "\"",
                                 "'''\n" + dots + "'\n'' " + dots + "'''",
                                 "\"\"\"\n" + dots + R"(\""" )" + dots + "\"\"\"",
                                 "\"\"\"" + dots + "\"\"\"\"\"",
                                 "'''" + dots + "''''",
                                 R"("\\")"};
  for (const std::string& hiding : strings) {
    EXPECT_EQ(bounds_refusal("x = " + hiding), "(accepted)") << hiding;
    EXPECT_NE(bounds_refusal("x = " + hiding + "\n" + many).find("more than 16 parts"), std::string::npos)
        << hiding;
    EXPECT_NE(bounds_refusal("t = { x = " + hiding + ", " + many + " }").find("more than 16 parts"),
              std::string::npos)
        << hiding;
  }
  EXPECT_EQ(bounds_refusal("x = 1 # \"" + dots + "\n'" + dots + "' = 1"), "(accepted)");
  EXPECT_NE(bounds_refusal("x = 1 # \"\n" + many).find("more than 16 parts"), std::string::npos);
}

TEST(TomlBounds, OutsideStringsAndCommentsThereIsAsciiOnly) {
  EXPECT_EQ(bounds_refusal("\xEF\xBB\xBF"
                           "a = '\u00e9' # \u00e9\nb = \"\"\"\u00e9\n\u00e9\"\"\"\n"),
            "(accepted)");
  const std::string refusal = ": a character that is not ASCII; allowed: ASCII outside strings and comments";
  EXPECT_EQ(bounds_refusal("a = 1\n\u00e9 = 1"), "f.toml:2:1" + refusal);
  EXPECT_EQ(bounds_refusal("a\u00e9 = 1"), "f.toml:1:2" + refusal);
  EXPECT_EQ(bounds_refusal("a = \"\"\"b\\\n \u00e9\"\"\""), "f.toml:2:2" + refusal);
}

TEST(TomlBounds, AFileIsARegularOneOfABoundedSize) {
  const datum::testing::FreshFolder folder;
  const auto refusal = [&](const std::filesystem::path& file) -> std::string {
    try {
      TomlTable::from_file(file);
    } catch (const ConfigError& error) {
      return std::string(error.what()).substr(file.string().size());
    }
    return "(accepted)";
  };
  ASSERT_EQ(::mkfifo((folder / "fifo.toml").c_str(), 0600), 0);
  const std::string unreadable =
      ": cannot be read; allowed: a readable TOML file (check the path and its permissions)";
  EXPECT_EQ(refusal(folder / "fifo.toml"), unreadable);
  EXPECT_EQ(refusal("/dev/zero"), unreadable);
  EXPECT_EQ(refusal(folder.path()), unreadable);
  std::filesystem::resize_file(folder.write("large.toml", ""), max_toml_bytes + 1);
  EXPECT_EQ(refusal(folder / "large.toml"), ": has 4194305 bytes; allowed: at most 4194304 bytes");
  EXPECT_EQ(refusal(folder.write("empty.toml", "")), "(accepted)");
}

}  // namespace
}  // namespace datum::config
