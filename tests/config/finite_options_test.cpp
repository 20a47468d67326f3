// No option of a command line takes nan or inf for a number.
#include "config/finite_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

namespace datum {
namespace {

using ::testing::HasSubstr;

struct Line {
  Line() {
    app.add_option("--plain", plain);
    app.add_option("--perhaps", perhaps);
    app.add_option("--limited", plain)->check(CLI::Range(-20.0, 60.0));
    app.add_option("--many", many)->delimiter(',');
    app.add_option("--whole", whole);
    app.add_option("--text", text);
    app.add_subcommand("below", "a step")->add_option("--deep", plain);
    refuse_not_finite(app);
  }
  /// What is told of these words; empty: they are taken.
  std::string refusal(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
      return "";
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
  }
  CLI::App app{"line"};
  double plain = 0;
  std::optional<double> perhaps;
  std::vector<double> many;
  int whole = 0;
  std::string text;
};

TEST(FiniteOptions, RefusesWhatIsNotFinite) {
  for (const char* word : {"nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e999"}) {
    for (const char* option : {"--plain", "--perhaps", "--many"})
      EXPECT_THAT(Line().refusal({option, word}), HasSubstr("is not finite")) << option << " " << word;
    EXPECT_THAT(Line().refusal({"--many", std::string("1,") + word}), HasSubstr("is not finite")) << word;
    EXPECT_THAT(Line().refusal({"below", "--deep", word}), HasSubstr("is not finite")) << word;
    EXPECT_NE(Line().refusal({"--limited", word}), "") << word;  // inf is beyond its limit, and nan is not
    EXPECT_EQ(Line().refusal({"--text", word}), "") << word;
  }
}

TEST(FiniteOptions, TakesNumbers) {
  Line line;
  EXPECT_EQ(line.refusal({"--plain", "-1.5e3", "--perhaps", "20.5", "--many", "1,2,3", "--whole", "7"}), "");
  EXPECT_EQ(line.plain, -1500);
  EXPECT_EQ(line.perhaps, 20.5);
  EXPECT_EQ(line.many.size(), 3u);
  EXPECT_NE(Line().refusal({"--plain", "abc"}), "") << "its own message";
}

/// Status and what it prints.
std::pair<int, std::string> run(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 256> some;
  while (std::fgets(some.data(), some.size(), pipe)) text += some.data();
  return {pclose(pipe), text};
}

// A window of 19 to 21 degC let nan through: it is neither below 19 nor above 21.
TEST(FiniteOptions, DatumdHasThem) {
  const std::string once = DATUMD " --once f.tif --recipe r.toml --sensor s.toml ";
  for (const char* word : {"nan", "inf"}) {
    const auto [status, text] = run(once + "--temperature " + word);
    EXPECT_NE(status, 0);
    EXPECT_THAT(text, HasSubstr(std::string("--temperature: ") + word + " is not finite"));
    const auto [place, told] = run(once + "--position 1,2," + word);
    EXPECT_NE(place, 0);
    EXPECT_THAT(told, HasSubstr("is not X,Y,Z in mm"));
  }
}

TEST(FiniteOptions, DatumctlHasThem) {
  const auto [status, text] = run(DATUMCTL " temperature nan");
  EXPECT_NE(status, 0);
  EXPECT_THAT(text, HasSubstr("degc: nan is not finite"));
}

}  // namespace
}  // namespace datum
