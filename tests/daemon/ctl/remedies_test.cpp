// Every remedy that a message prints works as printed: commands and options of datumctl exist and are complete, and keys of
// files are keys that the samples show.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <regex>

#include "daemon/ctl/command_line.h"
#include "tests/sample_file.h"

namespace datum::remedies {
namespace {

namespace fs = std::filesystem;

const fs::path source = DATUM_SOURCE_DIR;

/// String literals of a source, neighbours joined; comments are left out.
std::vector<std::string> texts_of(const fs::path& file) {
  std::string code;
  for (const std::string& line : testing::lines_of(testing::slurp(file)))
    if (const auto at = line.find_first_not_of(' ');
        at != line.npos && line.compare(at, 2, "//") != 0 && line[at] != '#')
      code += line.substr(at) + "\n";
  static const std::regex literal(R"re("((?:[^"\\]|\\.)*)")re");
  std::vector<std::string> texts;
  std::size_t end = 0;
  for (std::sregex_iterator i(code.begin(), code.end(), literal), none; i != none; ++i) {
    const auto begin = static_cast<std::size_t>(i->position());
    const bool joined = !texts.empty() && code.find_first_not_of(" \n", end) == begin;
    if (!joined) texts.emplace_back();
    texts.back() += (*i)[1];
    end = begin + static_cast<std::size_t>(i->length());
  }
  return texts;
}

/// Calls `check` with each text of the product's sources and the name of its file.
template <class Check>
void each_text(Check check) {
  for (const char* folder : {"daemon", "drivers", "calib", "config"})
    for (const auto& entry : fs::recursive_directory_iterator(source / folder))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
        for (const std::string& text : texts_of(entry.path()))
          check(text, entry.path().lexically_relative(source).string());
}

/// The part of a text that may belong to a command.
std::string up_to_its_end(const std::string& text) {
  return text.substr(0, text.find_first_of(";&'\"),:\\"));
}

/// What is wrong with "WORDS OPTIONS", which a text names behind "datumctl "; empty: nothing.
std::string wrong_with(CLI::App& app, const std::string& text) {
  std::string part = up_to_its_end(text);
  while (part.ends_with('.') && !part.ends_with("...")) part.pop_back();
  std::istringstream in(part);
  CLI::App* command = &app;
  std::string word, rest;
  while (in >> word) {
    const auto below = command->get_subcommands([&](CLI::App* a) { return a->get_name() == word; });
    if (below.empty()) break;
    command = below.front();
    word.clear();
  }
  if (command == &app) return "no command";
  std::getline(in, rest);
  rest = word + rest;
  static const std::regex option(R"(--[a-z][a-z-]*)");
  for (std::sregex_iterator i(rest.begin(), rest.end(), option), none; i != none; ++i)
    if (!command->get_option_no_throw(i->str())) return "no option " + i->str();
  const bool whole = std::regex_search(rest, std::regex(R"(^[A-Z]{2,})")) && rest.find("...") == rest.npos;
  if (whole)
    for (const CLI::Option* needed : command->get_options())
      if (needed->get_required() && !needed->get_positional() && rest.find(needed->get_name()) == rest.npos)
        return "it needs " + needed->get_name();
  return "";
}

TEST(Remedies, NameCommandsThatExistWithTheOptionsThatTheyNeed) {
  CommandLine line;
  int found = 0;
  // Sentences about the program.
  static const std::regex prose(R"(^(is|and|there|datumctl|on|of|reads|runs|or|shows)\b|^[^a-z])");
  each_text([&](const std::string& text, const std::string& file) {
    const std::string mark = "datumctl ";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
      const std::string rest = text.substr(at + mark.size());
      if (rest.empty() || std::regex_search(rest, prose)) continue;
      ++found;
      EXPECT_EQ(wrong_with(line.app, rest), "") << file << ": datumctl " << rest;
    }
  });
  EXPECT_GT(found, 30);
}

TEST(Remedies, TheCheckItselfFindsWhatIsWrong) {
  CommandLine line;
  EXPECT_EQ(wrong_with(line.app, "calibrate seal FILE --operator NAME"), "");
  EXPECT_EQ(wrong_with(line.app, "calibrate seal FILE"), "it needs --operator");
  EXPECT_EQ(wrong_with(line.app, "metrics --store FILE"), "no option --store");
  EXPECT_EQ(wrong_with(line.app, "mend"), "no command");
}

TEST(Remedies, NameKeysThatTheSamplesShow) {
  std::vector<std::string> samples;
  for (const char* name :
       {"datumd.toml", "recipe-sample.toml", "recipe-sample-surface.toml", "recipe-sample-filter.toml",
        "recipe-sample-panel.toml", "recipe-sample-terminals.toml"})
    samples.push_back(testing::slurp(source / "config" / name));
  std::map<std::string, std::set<std::string>> shown;  // by table, of all samples
  const auto keys_of = [&](const std::string& header) -> const std::set<std::string>& {
    const auto [at, fresh] = shown.try_emplace(header);
    if (fresh)
      for (const std::string& sample : samples) at->second.merge(testing::shown_keys(sample, header));
    return at->second;
  };
  static const std::regex key(
      R"((^|[^a-z_./-])((?:sensor|inspection|retention|host|cmm|calibration|holes|metrics|backend|signatures|floor|body|warp|alignment|uncertainty|surface|snapshots|stare|model|placement)(?:\.[a-z0-9_]+)+)(?=$|[^a-z0-9_./(\\]))");
  int found = 0;
  each_text([&](const std::string& text, const std::string& file) {
    for (std::sregex_iterator i(text.begin(), text.end(), key), none; i != none; ++i) {
      const std::string path = (*i)[2];
      const auto dot = path.rfind('.');
      if (std::regex_search(path, std::regex(R"(\.(toml|db|png|csv|json|service|log|txt)$)"))) continue;
      ++found;
      EXPECT_TRUE(keys_of(path.substr(0, dot)).count(path.substr(dot + 1))) << file << ": " << path;
    }
  });
  EXPECT_GT(found, 60);
}

}  // namespace
}  // namespace datum::remedies
