// The page of a stability study: charts of means, spreads, CUSUM and biases over the subgroups, with the tables of their numbers.
#pragma once

#include <string>

#include "daemon/quality/study/stability_study.h"

namespace datum {

/// `lines`: what datumctl prints of the study besides its table. `id` begins the ids of its tables; values in `unit`.
std::string stability_section(const std::string& title, const quality::Stability& study,
                              const std::string& unit, const std::string& lines, const std::string& id);

/// A study without a drawing: what datumctl prints, a paragraph a line.
std::string told_section(const std::string& title, const std::string& lines);

}  // namespace datum
