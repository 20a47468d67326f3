// datumctl completion, manual: hidden, for the installation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/completion.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/manual.h"

namespace datum {
namespace {

int print_words(const CommandLine& line, const std::string& typed) {
  const Completion found = complete(line, typed, live_text);
  for (const auto& word : found.words) fmt::print("{}\n", word);
  if (found.files) fmt::print(":files\n");
  return good;
}

}  // namespace

void add_shell_commands(CommandLine& line) {
  auto* completion =
      line.app.add_subcommand("completion", "what a shell needs to complete command lines")->group("");
  completion->require_subcommand(1);
  for (const char* shell : {"bash", "zsh", "fish"})
    line.leaf(*completion, shell, "script for this shell",
              [shell] { return fmt::print("{}", completion_script(shell)), good; });
  auto typed = std::make_shared<std::string>();
  line.leaf(*completion, "words", "what may stand at the end of a line",
            [&line, typed] { return print_words(line, *typed); })
      ->add_option("line", *typed, "up to the cursor")
      ->required();
  line.leaf(line.app, "manual", "datumctl(1) as roff",
            [&line] { return fmt::print("{}", manual_page(line)), good; })
      ->group("");
}

}  // namespace datum
