// Completion and the manual page, from the same tree as --help.
#include "daemon/ctl/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/manual.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

struct CompletionTest : ::testing::Test {
  Completion of(const std::string& typed) {
    return complete(line, typed, [this](Offer what, const LinkOptions& link) {
      asked = link;
      return what == Offer::recipes ? Words{"mainboard", "mezzanine", "power"} : Words{"SYSTem:STATe?"};
    });
  }
  CommandLine line;
  LinkOptions asked;
};

TEST(LeftOut, EachCommandIsRefusedWithWhatBuildsIt) {
  CommandLine line;
  CLI::App* group = line.app.add_subcommand("group", "steps");
  line.leave_out(*group, {"one", "two"});
  const char* const typed[] = {"datumctl", "group", "two", "--any", "words"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(line.run(5, typed), usage);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "datumctl: two: a first demo leaves it out; ./datum demo --cad, test or install builds it\n");
}

TEST_F(CompletionTest, OffersSubcommandsAndStepsButNoHiddenOnes) {
  EXPECT_THAT(of("datumctl ").words, Contains("status"));
  EXPECT_THAT(of("datumctl ").words, Not(Contains("completion")));
  EXPECT_THAT(of("datumctl re").words,
              ElementsAre("recipe", "recipes", "referenced", "reopen", "report", "restore", "results"));
  EXPECT_THAT(of("datumctl calibrate s").words,
              ElementsAre("scan", "seal", "solve", "spheres", "squareness", "start", "status"));
  EXPECT_THAT(of("datumctl nothing-such x").words, IsEmpty());
}

TEST_F(CompletionTest, OffersOptionsAndTheirWords) {
  EXPECT_THAT(of("datumctl watch --c").words, ElementsAre("--count"));
  EXPECT_THAT(of("datumctl results --decision IN").words, ElementsAre("INCONCLUSIVE", "INVALID"));
  EXPECT_THAT(of("datumctl results --last ").words, IsEmpty()) << "a number";
  EXPECT_TRUE(of("datumctl results --store ").files);
  EXPECT_FALSE(of("datumctl results ").files);
}

TEST_F(CompletionTest, AsksTheDaemonThatTheLineNames) {
  EXPECT_THAT(of("datumctl choose --tcp 10.0.0.7:99 m").words, ElementsAre("mainboard", "mezzanine"));
  EXPECT_EQ(asked.tcp, "10.0.0.7:99");
  EXPECT_THAT(of("datumctl choose --json ").words, ElementsAre("mainboard", "mezzanine", "power"));
  EXPECT_THAT(of("datumctl choose power ").words, IsEmpty()) << "one recipe";
  EXPECT_THAT(of("datumctl help SYST").words, ElementsAre("SYSTem:STATe?"));
}

TEST_F(CompletionTest, TakesLinesApartAsShellsDo) {
  EXPECT_EQ(shell_words("datumctl  choose \"a b\" 'c\\d' e\\ f"),
            (Words{"datumctl", "choose", "a b", "c\\d", "e f"}));
  EXPECT_EQ(shell_words("datumctl "), (Words{"datumctl", ""}));
  EXPECT_EQ(shell_words("datumctl ''"), (Words{"datumctl", ""}));
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string out;
  char bytes[4096];
  for (std::size_t n = 0; (n = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;) out.append(bytes, n);
  pclose(pipe);
  return out;
}

/// Completions of bash with the installed script.
std::string in_bash(const std::string& typed) {
  const testing::FreshFolder folder;
  folder.write("datumctl", completion_script("bash"));
  const auto asked = folder.write(
      "ask",
      "PATH=$(dirname \"$1\"):$PATH\nsource \"$2\"\nCOMP_LINE=$3\nCOMP_POINT=${#COMP_LINE}\n"
      "read -ra COMP_WORDS <<<\"${COMP_LINE//:/ : }\"\n[[ $COMP_LINE == *[' :'] ]] && COMP_WORDS+=('')\n"
      "[[ $COMP_LINE == *: ]] && COMP_WORDS=(\"${COMP_WORDS[@]:0:${#COMP_WORDS[@]}-1}\")\n"
      "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_datumctl\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  return output_of("bash " + asked.string() + " " + DATUMCTL + " " + (folder / "datumctl").string() + " '" +
                   typed + "'");
}

TEST(Completion, WorksInBash) {
  EXPECT_EQ(in_bash("datumctl calibrate sc"), "scan\n");
  EXPECT_EQ(in_bash("datumctl results --decision F"), "FAIL\n");
  EXPECT_THAT(in_bash("datumctl results --store /etc/host"), HasSubstr("/etc/hosts"));
  EXPECT_EQ(in_bash("datumctl choose --tcp 127.0.0.1:1 --js"), "--json\n") << "bash parts words at ':'";
}

TEST(Completion, ItsScriptsAreOnesForTheirShells) {
  const testing::FreshFolder folder;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto file = folder.write(shell, completion_script(shell));
    if (output_of(std::string("command -v ") + shell).empty()) continue;
    EXPECT_EQ(output_of(std::string(shell) + " -n " + file.string()), "") << shell;
  }
}

std::string escaped_hyphens(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
  return escaped;
}

void expect_shown(const std::string& page, const CLI::App& command, const std::string& path) {
  EXPECT_THAT(page, HasSubstr(".SS \"" + escaped_hyphens(path))) << path;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) {
      if (name == "help") continue;
      EXPECT_THAT(page, HasSubstr("\\fB" + escaped_hyphens("--" + name) + "\\fR")) << path;
    }
  for (const auto* step : command.get_subcommands({}))
    expect_shown(page, *step, path + " " + step->get_name());
}

TEST(Manual, HasEachCommandAndOptionOfTheTree) {
  const CommandLine line;
  const std::string page = manual_page(line);
  for (const auto* command : line.app.get_subcommands({})) {
    if (command->get_group().empty()) continue;
    expect_shown(page, *command, "datumctl " + command->get_name());
  }
  EXPECT_THAT(page, Not(HasSubstr("datumctl completion")));
}

/// A line of man(1) has 78 columns; an item's text begins at column 15.
TEST(Manual, HasNoWordThatIsLongerThanALine) {
  std::istringstream words(manual_page(CommandLine()));
  for (std::string word; words >> word;) EXPECT_LE(word.size(), 64u) << word;
}

// mandoc does not report lines that groff can't break, so each installed program checks the page.
TEST(Manual, IsSoundRoffToGroff) {
  if (output_of("command -v groff").empty()) GTEST_SKIP() << "groff is not installed";
  const testing::FreshFolder folder;
  EXPECT_EQ(output_of("groff -man -ww -z -Tutf8 " +
                      folder.write("datumctl.1", manual_page(CommandLine())).string()),
            "");
}

TEST(Manual, IsSoundRoffToMandoc) {
  if (output_of("command -v mandoc").empty()) GTEST_SKIP() << "mandoc is not installed";
  const testing::FreshFolder folder;
  const auto file = folder.write("datumctl.1", manual_page(CommandLine())).string();
  // The page has no date by design, so that equal versions give equal pages.
  EXPECT_EQ(output_of("mandoc -T lint -W warning " + file + " | grep -v 'missing date'"), "");
}

TEST(CommandLineMisspelt, NamesTheCommandOrOptionThatWasMeant) {
  const CommandLine line;
  EXPECT_EQ(line.misspelt({"statsu"}), "'statsu' is not known; did you mean 'status'?\n");
  EXPECT_EQ(line.misspelt({"frame", "descibe", "a.tif"}),
            "'descibe' is not known; did you mean 'describe'?\n");
  EXPECT_EQ(line.misspelt({"show", "7", "--stor", "results.db"}),
            "'--stor' is not known; did you mean '--store'?\n");
  EXPECT_EQ(line.misspelt({"export", "--fromat=csv"}), "'--fromat' is not known; did you mean '--format'?\n");
  EXPECT_EQ(line.misspelt({"show", "statsu"}), "") << "a value";
  EXPECT_EQ(line.misspelt({"stat"}), "'stat' is not known; did you mean 'status'?\n");
  EXPECT_EQ(line.misspelt({"manaul"}), "'manaul' is not known; datumctl --help lists what is\n") << "hidden";
  EXPECT_EQ(line.misspelt({"verify", "board"}),
            "'board' is not known; datumctl verify --help lists what is\n");
  EXPECT_EQ(line.misspelt({"status", "--tcp", "localhost:5025"}), "");
}

TEST(CommandLineMisspelt, IsTheFirstLineAndTheOnlyOne) {
  CommandLine line;
  ::testing::internal::CaptureStderr();
  const char* typed[] = {"datumctl", "statsu", "--tcp", "localhost:5025"};
  EXPECT_EQ(line.run(4, typed), 4);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "'statsu' is not known; did you mean 'status'?\n");
}

}  // namespace
}  // namespace datum
