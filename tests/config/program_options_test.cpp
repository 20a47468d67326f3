// The command line of a program without subcommands: what is read, what is refused, and when the program ends.
#include "config/program_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour : std::uint8_t { red, green };

struct Program {
  Program() {
    const ProgramOption file = app.add_option("--file", path, "a file").existing_file();
    app.add_option("--place", place, "X,Y,Z").delimiter(',').expected(3);
    app.add_option("--names", names, "one a time").one_value().needs(file);
    app.add_option("--count", count, "how many").in_range(1, 9).show_default();
    app.add_option("--share", share, "of all").in_range(0.0, 1.0);
    app.add_option("--mode", mode, "fast or slow").one_of({"fast", "slow"});
    app.add_option("--even", even, "an even number").check([](const std::string& text) {
      return text.ends_with('2') ? std::string() : text + " is odd";
    });
    app.add_choice("--colour", colour,
                   std::map<std::string, Colour>{{"red", Colour::red}, {"green", Colour::green}}, "of it");
    seed = app.add_option("--seed", number, "of noise");
    app.add_flag("--quiet", quiet, "print less").excludes(*seed);
    app.version("1.2");
    app.footer("the end");
  }
  std::optional<int> read(std::vector<std::string> words) {
    words.insert(words.begin(), "program");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const std::optional<int> ended = app.read(static_cast<int>(argv.size()), argv.data());
    said = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
    return ended;
  }
  /// What is said where the command line is refused; empty: it is not.
  std::string refusal(const std::vector<std::string>& words) {
    return read(words).value_or(0) > 0 ? said : "";
  }

  ProgramOptions app{"a program"};
  std::filesystem::path path;
  std::vector<double> place;
  std::vector<std::string> names;
  int count = 3, even = 0;
  double share = 0;
  std::uint64_t number = 1;
  std::string mode, said;
  Colour colour = Colour::red;
  std::optional<ProgramOption> seed;
  bool quiet = false;
};

TEST(ProgramOptions, ReadsEachKindOfValue) {
  Program p;
  EXPECT_EQ(p.read({"--file",   "/proc/self/exe",
                    "--place",  "1,-2.5,3",
                    "--names",  "a",
                    "--names",  "b",
                    "--count",  "9",
                    "--share",  "0.5",
                    "--mode",   "slow",
                    "--even",   "12",
                    "--colour", "green",
                    "--seed",   "18446744073709551615"}),
            std::nullopt)
      << p.said;
  EXPECT_EQ(p.path, "/proc/self/exe");
  EXPECT_THAT(p.place, ElementsAre(1, -2.5, 3));
  EXPECT_THAT(p.names, ElementsAre("a", "b"));
  EXPECT_EQ(p.count, 9);
  EXPECT_EQ(p.share, 0.5);
  EXPECT_EQ(p.mode, "slow");
  EXPECT_EQ(p.even, 12);
  EXPECT_EQ(p.colour, Colour::green);
  EXPECT_EQ(p.number, 18446744073709551615u);
  EXPECT_TRUE(p.seed->given());
  EXPECT_FALSE(p.quiet);
}

TEST(ProgramOptions, RefusesWhatAnOptionDoesNotTake) {
  EXPECT_THAT(Program().refusal({"--file", "/nowhere"}), HasSubstr("/nowhere"));
  EXPECT_THAT(Program().refusal({"--place", "1,2"}), HasSubstr("--place"));
  EXPECT_THAT(Program().refusal({"--place", "1,2,nan"}), HasSubstr("nan is not finite"));
  EXPECT_THAT(Program().refusal({"--names", "a"}), HasSubstr("--file"));
  EXPECT_THAT(Program().refusal({"--count", "10"}), HasSubstr("10 not in range"));
  EXPECT_THAT(Program().refusal({"--share", "1.5"}), HasSubstr("--share"));
  EXPECT_THAT(Program().refusal({"--mode", "middle"}), HasSubstr("middle"));
  EXPECT_THAT(Program().refusal({"--even", "3"}), HasSubstr("3 is odd"));
  EXPECT_THAT(Program().refusal({"--colour", "blue"}), HasSubstr("{green->1,red->0}"));
  EXPECT_THAT(Program().refusal({"--quiet", "--seed", "2"}), HasSubstr("--seed"));
  EXPECT_THAT(Program().refusal({"--unknown"}), HasSubstr("--unknown"));
}

TEST(ProgramOptions, EndsBehindHelpAndVersion) {
  Program p;
  EXPECT_EQ(p.read({"--help"}), 0);
  for (const char* words : {"a program", "INT in [1 - 9]", "of it", "the end"})
    EXPECT_THAT(p.said, HasSubstr(words));
  EXPECT_EQ(Program().read({"--version"}), 0);
  EXPECT_FALSE(p.seed->given());
}

}  // namespace
}  // namespace datum
