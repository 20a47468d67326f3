// Shell completion from the tree of the command line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/ctl/command_line.h"

namespace datum {

/// Words that only the daemon or the computer knows: recipe names, headers, serial lines. It may be slow or fail, and
/// then gives none.
using LiveWords = std::function<std::vector<std::string>(Offer what, const LinkOptions& link)>;

struct Completion {
  std::vector<std::string> words;  // candidates for the last word, sorted
  bool files = false;              // file names are candidates too
};

/// `typed`: the line up to the cursor, with the program name first.
Completion complete(const CommandLine& line, const std::string& typed, const LiveWords& live);

/// Splits a line like a shell: at blanks outside of quotes and backslashes. The last word is the one at the cursor; it is
/// empty after a blank.
std::vector<std::string> shell_words(const std::string& typed);

/// Asks the daemon with a short timeout.
std::vector<std::string> live_text(Offer what, const LinkOptions& link);

/// The start-up script of "bash", "zsh" or "fish". It calls `datumctl completion words`.
std::string completion_script(const std::string& shell);

}  // namespace datum
