// Shell completion: what may stand where the cursor is, from the command line's own tree.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/ctl/command_line.h"

namespace datum {

/// Words that the daemon or the machine knows: names of recipes, headers, serial lines. It may take its time, fail and
/// give none.
using LiveWords = std::function<std::vector<std::string>(Offer what, const LinkOptions& link)>;

struct Completion {
  std::vector<std::string> words;  // what may stand in place of the last word, sorted
  bool files = false;              // and names of files
};

/// `typed`: the line up to the cursor, the program's name first.
Completion complete(const CommandLine& line, const std::string& typed, const LiveWords& live);

/// Words of a line as a shell takes them: blanks part, quotes and backslashes keep together. The last one is what is
/// being typed, empty behind a blank.
std::vector<std::string> shell_words(const std::string& typed);

/// Asks the daemon of these options, with little timeout.
std::vector<std::string> live_text(Offer what, const LinkOptions& link);

/// What a shell reads at its start: "bash", "zsh" or "fish". It calls `datumctl completion words`.
std::string completion_script(const std::string& shell);

}  // namespace datum
