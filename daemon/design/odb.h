// Reader of ODB++ jobs (version 7 and 8).
#pragma once

#include <string>

#include "daemon/design/design.h"
#include "daemon/design/odb_files.h"

namespace datum::design {

/// `name` is the job's name in messages. Throws DesignError: no step with components, an ill-formed record, pins that no transform
/// fits to the pads (TOP records).
Design read_odb(const OdbFiles& files, const std::string& name);

}  // namespace datum::design
