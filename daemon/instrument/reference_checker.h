// ReferenceChecker: the interface of the host protocols to the reference checks of the cell: artefacts with certified values,
// measured when they are due. The daemon implements it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

/// What a check, or all of them together, says of the next board. In the order of precedence of the whole.
enum class CheckState : std::uint8_t { none, valid, overridden, due, check, failed };
const char* name_of(CheckState s);  // "NONE", "VALID", "OVERRIDDEN", "DUE", "CHECK", "FAILED"

struct CheckStatus {
  std::string name, artefact, recipe;
  CheckState state = CheckState::due;
  std::string why;                                 // cause of the state as text
  std::uint64_t id = 0, good = 0;                  // its newest record; that of the last good check, 0: none
  std::int64_t since_utc_s = 0;                    // of the newest record; 0: there is none
  std::int64_t until_utc_s = 0;                    // a VALID or OVERRIDDEN one; 0: without a limit in time
  std::uint32_t readings_taken = 0, readings = 0;  // of the check in progress; demanded
};

class ReferenceChecker {
 public:
  virtual ~ReferenceChecker() = default;

  virtual std::vector<CheckStatus> checks() const = 0;
  /// The next boards are readings of this check's artefact, until it has enough. -221 armed, a check is in progress, or its
  /// recipe is not chosen; -224 no such check. A check that is begun is no longer valid until it ends well.
  virtual void start(const std::string& name, const std::string& by) = 0;
  /// Ends the check in progress; it is due. -221 there is none.
  virtual void abort() = 0;
  /// A collision, a repair: the check is due from now on. -224 no such check, or `why` is empty.
  virtual void declare_due(const std::string& name, const std::string& why) = 0;
  /// Boards are measured without it until its next event or the configured time. -221 it is valid or in progress; -224 no such
  /// check, or a name or reason is missing.
  virtual void override_check(const std::string& name, const std::string& by, const std::string& why) = 0;
};

/// The state that counts for the next board: the first one in the order of precedence.
CheckState worst_of(const std::vector<CheckStatus>& checks);

}  // namespace datum
