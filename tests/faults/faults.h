// The faults of the real daemon. All end with Ledger::check().
#pragma once

#include "tests/faults/fault.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::faults {

void kill_at_random_moments(const Order& order, Findings& findings);
void cut_the_power(const Order& order, Findings& findings);
void fill_the_disk(const Order& order, Findings& findings);
void refuse_the_disk(const Order& order, Findings& findings);
void make_the_disk_readonly(const Order& order, Findings& findings);
void slow_the_disk(const Order& order, Findings& findings);
void set_the_clock(const Order& order, Findings& findings);
void overflow_the_folder_events(const Order& order, Findings& findings);
void run_out_of_memory(const Order& order, Findings& findings);
void change_the_configuration(const Order& order, Findings& findings);
void swap_the_calibration(const Order& order, Findings& findings);
void use_up_the_descriptors(const Order& order, Findings& findings);
void lose_the_gpu(const Order& order, Findings& findings);
void attack_the_parsers(const Order& order, Findings& findings);
void attack_with_models(const Order& order, Findings& findings);
void attack_with_fringe_sets(const Order& order, Findings& findings);
void storm_the_devices(const Order& order, Findings& findings);

/// Enters a namespace where this process may mount. Throws Skipped.
void leave_the_machine_alone();

/// Arms a cell that a fault disarmed.
void arm_again(const scenario::Cell& cell);

}  // namespace datum::faults
