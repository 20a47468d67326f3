#include "config/program_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>

#include "config/finite_options.h"

namespace datum {

ProgramOption ProgramOption::required() const { return ProgramOption(option_->required()); }
ProgramOption ProgramOption::show_default() const { return ProgramOption(option_->capture_default_str()); }
ProgramOption ProgramOption::show_default(const std::string& text) const {
  return ProgramOption(option_->default_str(text));
}
ProgramOption ProgramOption::delimiter(char separator) const {
  return ProgramOption(option_->delimiter(separator));
}
ProgramOption ProgramOption::expected(int count) const { return ProgramOption(option_->expected(count)); }
ProgramOption ProgramOption::expected(int least, int most) const {
  return ProgramOption(option_->expected(least, most));
}
ProgramOption ProgramOption::one_value() const { return ProgramOption(option_->allow_extra_args(false)); }
ProgramOption ProgramOption::needs(const ProgramOption& other) const {
  return ProgramOption(option_->needs(other.option_));
}
ProgramOption ProgramOption::excludes(const ProgramOption& other) const {
  return ProgramOption(option_->excludes(other.option_));
}
ProgramOption ProgramOption::in_range(int least, int most) const {
  return ProgramOption(option_->check(CLI::Range(least, most)));
}
ProgramOption ProgramOption::in_range(double least, double most) const {
  return ProgramOption(option_->check(CLI::Range(least, most)));
}
ProgramOption ProgramOption::positive() const { return ProgramOption(option_->check(CLI::PositiveNumber)); }
ProgramOption ProgramOption::not_negative() const {
  return ProgramOption(option_->check(CLI::NonNegativeNumber));
}
ProgramOption ProgramOption::existing_file() const {
  return ProgramOption(option_->check(CLI::ExistingFile));
}
ProgramOption ProgramOption::existing_folder() const {
  return ProgramOption(option_->check(CLI::ExistingDirectory));
}
ProgramOption ProgramOption::existing_path() const {
  return ProgramOption(option_->check(CLI::ExistingPath));
}
ProgramOption ProgramOption::one_of(const std::vector<std::string>& values) const {
  return ProgramOption(option_->check(CLI::IsMember(values)));
}
ProgramOption ProgramOption::check(const std::function<std::string(const std::string&)>& fault) const {
  return ProgramOption(option_->check(fault));
}
bool ProgramOption::given() const { return option_->count() > 0; }

ProgramOptions::ProgramOptions(const std::string& description)
    : app_(std::make_unique<CLI::App>(description)) {}
ProgramOptions::~ProgramOptions() = default;

template <class T>
ProgramOption ProgramOptions::add_option(const std::string& names, T& value, const std::string& words) {
  return ProgramOption(app_->add_option(names, value, words));
}

ProgramOption ProgramOptions::add_flag(const std::string& names, bool& value, const std::string& words) {
  return ProgramOption(app_->add_flag(names, value, words));
}

ProgramOption ProgramOptions::add_number(const std::string& names, const std::function<void(int)>& take,
                                         const std::map<std::string, int>& numbers,
                                         const std::string& words) {
  return ProgramOption(app_->add_option_function<int>(names, take, words)
                           ->type_name("ENUM")
                           ->transform(CLI::CheckedTransformer(numbers)));
}

void ProgramOptions::version(const std::string& text) { app_->set_version_flag("--version", text); }
void ProgramOptions::footer(const std::string& text) { app_->footer(text); }

std::optional<int> ProgramOptions::read(int argc, char** argv) {
  refuse_not_finite(*app_);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error);
  }
  return std::nullopt;
}

#define DATUM_OPTION(T) \
  template ProgramOption ProgramOptions::add_option(const std::string&, T&, const std::string&)
DATUM_OPTION(int);
DATUM_OPTION(unsigned);
DATUM_OPTION(std::int64_t);
DATUM_OPTION(std::uint64_t);
DATUM_OPTION(double);
DATUM_OPTION(std::string);
DATUM_OPTION(std::filesystem::path);
DATUM_OPTION(std::vector<std::string>);
DATUM_OPTION(std::vector<std::filesystem::path>);
DATUM_OPTION(std::vector<double>);
DATUM_OPTION(std::vector<std::uint16_t>);
DATUM_OPTION(std::vector<std::uint64_t>);
DATUM_OPTION(std::optional<std::uint64_t>);
DATUM_OPTION(std::optional<double>);
#undef DATUM_OPTION

}  // namespace datum
