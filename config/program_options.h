// Command line options of a program without subcommands. CLI11 is compiled once, behind this header: each program that includes it
// takes the compiler six seconds more.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace datum {

/// One option of ProgramOptions, for its conditions.
class ProgramOption {
 public:
  explicit ProgramOption(CLI::Option* option) : option_(option) {}

  ProgramOption required() const;
  /// Help shows the value that it has now, or this text.
  ProgramOption show_default() const;
  ProgramOption show_default(const std::string& text) const;
  ProgramOption delimiter(char separator) const;
  /// Number of values, or its limits.
  ProgramOption expected(int count) const;
  ProgramOption expected(int least, int most) const;
  /// One value for each time that it is given.
  ProgramOption one_value() const;
  ProgramOption needs(const ProgramOption& other) const;
  ProgramOption excludes(const ProgramOption& other) const;

  ProgramOption in_range(int least, int most) const;
  ProgramOption in_range(double least, double most) const;
  ProgramOption positive() const;
  ProgramOption not_negative() const;
  ProgramOption existing_file() const;
  ProgramOption existing_folder() const;
  ProgramOption existing_path() const;
  ProgramOption one_of(const std::vector<std::string>& values) const;
  /// `fault` returns what is wrong with a value; "": nothing.
  ProgramOption check(const std::function<std::string(const std::string&)>& fault) const;

  /// Whether the command line has it; after read().
  bool given() const;

 private:
  CLI::Option* option_;
};

class ProgramOptions {
 public:
  explicit ProgramOptions(const std::string& description);
  ~ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  /// `names`: "--frames", "-o,--output", or "names" without a dash. T: those of program_options.cpp.
  template <class T>
  ProgramOption add_option(const std::string& names, T& value, const std::string& words = "");
  ProgramOption add_flag(const std::string& names, bool& value, const std::string& words = "");

  /// A value that has a name.
  template <class Choice>
  ProgramOption add_choice(const std::string& names, Choice& value,
                           const std::map<std::string, Choice>& choices, const std::string& words = "") {
    std::map<std::string, int> numbers;
    for (const auto& [name, choice] : choices) numbers[name] = static_cast<int>(choice);
    return add_number(
        names, [&value](int number) { value = static_cast<Choice>(number); }, numbers, words);
  }
  void version(const std::string& text);
  void footer(const std::string& text);

  /// Reads the command line, and refuses numbers that are not finite. The exit status where the program is to end: 0 after --help and
  /// --version, else of CLI11, whose message was printed.
  std::optional<int> read(int argc, char** argv);

 private:
  ProgramOption add_number(const std::string& names, const std::function<void(int)>& take,
                           const std::map<std::string, int>& numbers, const std::string& words);

  std::unique_ptr<CLI::App> app_;
};

}  // namespace datum
