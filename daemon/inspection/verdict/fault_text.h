// Why a component is not PASS, as a person would say it: what failed, by how much, and the limit.
#pragma once

#include <string>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// "missing: 2.5 um, limit 920", "tilted: 1.38 deg, limit 0.8", "149 um too low: 1851 um, limit 2000",
/// "INVALID: FLOOR_SIDES", "median 1003 um: limit 1000 within U (k=2) = 12". Of several checks with the component's decision, a
/// missing part comes first, then the largest excess in tolerances. Values have four significant digits. Where the component has
/// a defect's word, that with its detail. Empty for PASS without a word.
///
/// A part is missing where one of its checks says so: is_missing.
std::string fault_text(const ComponentVerdict& component);

/// The word and its detail: "shifted: 310 um along x, ...".
std::string defect_text(const DefectEvidence& defect);

/// The check failed since nothing lies there: a share of pixels above half the nominal height (presence) below half its
/// limit, or a height below its lower limit and below half the nominal height; the lower limit stands in for an unknown
/// nominal.
bool is_missing(const CheckVerdict& verdict);

bool is_height(Characteristic characteristic);  // over the floor
/// The limit that the value violates, else the nearest one.
double limit_of(const CheckVerdict& verdict);

/// Value and limits of one check: "median 1851 um, 2000 to 2200"; its reason where INVALID.
std::string check_text(const CheckVerdict& verdict);

}  // namespace datum
