// A person's word on a proposal, taken over into the recipe's text with who, when and from which frames.
#pragma once

#include <string>
#include <vector>

#include "daemon/teach/proposal_file.h"

namespace datum::teach {

struct Word {
  std::string by, at;             // who; ISO 8601 UTC
  std::vector<std::string> only;  // references; empty: all that differ in nothing
  bool ring = false;              // the ring's margins too
};

struct Confirmed {
  std::string recipe;                   // its new text
  ProposalFile file;                    // with what is confirmed now
  std::vector<std::string> references;  // of these
  std::vector<std::string> left;        // still open
};

/// Throws std::invalid_argument that says what to do: the recipe is not the one that was taught, a reference that has no open
/// proposal, an empty name, or nothing to confirm. `name` is the recipe's file in messages. The new text is read by datumd's own
/// reader and compared: nothing but what was confirmed differs from the former one.
Confirmed confirm(const std::string& recipe, const std::string& name, const ProposalFile& file,
                  const Word& word);

}  // namespace datum::teach
