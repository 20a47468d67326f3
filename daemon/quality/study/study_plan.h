// The plan of a study that is measured through the cell: its kind, who measures what, in which order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/study/gauge_data.h"
#include "daemon/series/decimal.h"

namespace datum::quality {

enum class StudyKind : std::uint8_t {
  crossed,  // each part by each operator; with one operator a study of parts alone
  nested,  // the parts of each operator are its own, in the order of the list: the first ones are the first operator's
  type1,      // one master, again and again
  bias,       // one master
  linearity,  // masters of several values, on one part or more
  stability,  // one master; operators are subgroups such as shifts, in the order of time
  attribute,  // decisions of each part by each operator
};
const char* name_of(StudyKind kind);
std::optional<StudyKind> study_kind_of(const std::string& name);

/// What the decisions of an attribute study are of.
enum class Rated : std::uint8_t {
  characteristic,  // each component's each characteristic by itself
  component,       // each component: its worst characteristic
  board,           // the verdict that hosts get
};
const char* name_of(Rated rated);
std::optional<Rated> rated_of(const std::string& name);

struct PlannedRun {
  std::string part, op;
  int trial = 0;  // from 1
};

enum class RunOrder : std::uint8_t {
  full,       // all runs in random order
  operators,  // by trials, in each trial the operators in random order, each with the parts in random order
  listed,     // operators as they are listed, of a study over time
};
const char* name_of(RunOrder order);

/// What is known of a part before it is measured: a value with its standard uncertainty, or a decision.
struct CertifiedValue {
  std::string part, component,
      characteristic;  // the last, or both, empty: a decision on a component, on a board
  std::optional<Decimal> value;
  double u = 0;
  std::string unit;      // of value and u
  std::string decision;  // PASS or FAIL, of an attribute study
};

struct StudyPlan {
  std::string id, by, at;  // who; ISO 8601 UTC
  StudyKind kind = StudyKind::crossed;
  Rated rated = Rated::characteristic;
  std::string recipe, recipe_sha256;
  std::string store_id;
  std::uint64_t after = 0;  // the newest result when the study began
  std::vector<std::string> parts, operators;
  int trials = 0;
  RunOrder order = RunOrder::full;
  std::uint64_t seed = 0;
  int attempts = 3;  // of a run whose board is INVALID
  std::vector<CertifiedValue> references{};

  /// Runs in their order, random ones by a counter-based generator: the same for the same plan.
  std::vector<PlannedRun> runs() const;
  /// Of a component's characteristic on a part; none: it is not certified.
  const CertifiedValue* reference_of(const std::string& part, const std::string& component,
                                     const std::string& characteristic) const;
};

/// Throws StudyRefused: what lacks for the kind, and what to do.
void demand_plan(const StudyPlan& plan);
/// 1 to 64 of A-Z a-z 0-9 . _ -, and no point in front.
bool is_study_id(const std::string& id);

/// Certified values by the columns part, component, characteristic, reference_UNIT, u_UNIT (or none: 0); or right decisions by the columns
/// part, component, characteristic, decision, of components without characteristic, of boards without component. Throws StudyRefused
/// "NAME:LINE: what; what to do".
std::vector<CertifiedValue> read_certified_values(std::string_view csv, const std::string& name,
                                                  const std::string& encoding = "");

}  // namespace datum::quality
