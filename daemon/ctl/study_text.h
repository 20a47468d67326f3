// What a person reads of a measured study: its plan, its progress, its next run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/quality/study/study_file.h"

namespace datum {

/// "run 3 of 60: part P1, operator A, trial 2".
std::string run_text(const quality::StudyFile& study, std::size_t run);
/// A line: what to measure next, or that the study is complete.
std::string next_text(const quality::StudyFile& study);
/// "crossed", "attribute of each board".
std::string kind_text(const quality::StudyPlan& plan);
/// "study grr-1 by A. Smith at 2026-11-21T07:00:00Z: crossed, recipe ...".
std::string plan_text(const quality::StudyPlan& plan);
/// Lines: plan, progress, INVALID results by part and operator.
std::string status_text(const quality::StudyFile& study);
nlohmann::ordered_json status_json(const quality::StudyFile& study);

}  // namespace datum
