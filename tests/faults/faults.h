// The faults, each with what it does to the cell. All end with Ledger::check().
#pragma once

#include "tests/faults/fault.h"

namespace datum::faults {

void kill_at_random_moments(const Order& order, Findings& findings);
void cut_the_power(const Order& order, Findings& findings);

}  // namespace datum::faults
