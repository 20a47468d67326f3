// What the chain holds beside results, as messages of CFX: commands of hosts, reference checks, events of the store; and the
// calibration that results name.
//
//   command of a host, bundle      LogEntryRecorded COMMAND, who and what; that it was permitted, not that it succeeded
//   reference check VALID, FAILED  CalibrationPerformed with each certified value; FAILED opens a fault, VALID clears it
//   reference check DUE            a fault of severity Warning, unless one is open
//   control chart hit            a fault of severity Error where the hit disarms, else Warning, unless one is open; an acknowledgement
//                                  clears both, and is a LogEntryRecorded CONTROL_CHART as limits that are taken up are
//   check begun, overridden        LogEntryRecorded REFERENCE_CHECK, with the person who overrode it
//   store created, set back ...    LogEntryRecorded STORE
//   another calibration in use     CalibrationPerformed, with its id and SHA-256, before the first result that names it
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/plant/cfx_faults.h"

namespace datum {

/// `statement`: JSON of result_chain.h. One that can't be read is a LogEntryRecorded that says so. `entry`: SHA-256 of its entry.
std::vector<CfxMessage> cfx_of_statement(const std::string& statement, const std::string& entry,
                                         const std::string& handle, OpenFaults& open);

/// CalibrationPerformed of the calibration that a result names.
CfxMessage cfx_calibration(const BoardVerdict& verdict, const std::string& transaction,
                           const std::string& entry, const std::string& handle);

}  // namespace datum
