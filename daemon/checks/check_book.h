// CheckBook: the states of the reference checks, without I/O and without a clock of its own.
//
//   DUE -start-> CHECK -enough readings-> VALID (until) | FAILED
//
// Any event (a shift, the interval, the daemon's start, a step of temperature, another calibration, a report) leads from VALID to
// DUE; only a good check leads back. Each step is a record for the store, which keeps it before any result that relies on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/checks/check_judge.h"
#include "daemon/checks/check_settings.h"
#include "daemon/instrument/reference_checker.h"
#include "daemon/store/check_records.h"

namespace datum {

/// What an instant is judged by.
struct CheckMoment {
  std::int64_t utc_s = 0;                  // a time of day that never goes back
  std::string calibration;                 // SHA-256 of the one in use; "": none
  std::optional<double> temperature_degc;  // reported, and not too old
  std::uint64_t newest_result = 0;
};

/// What the store has of one check.
struct KeptCheck {
  std::optional<CheckRecord> newest, settled, good;  // settled: the newest that is no override
};

/// How the process began.
struct CheckBeginning {
  std::vector<KeptCheck> kept;  // in the order of the settings
  std::uint64_t last_id = 0;
  std::int64_t known_utc_s = 0;  // the latest time of the store's results and records
  std::string set_back;          // why records may be missing; empty: they are not
};

class CheckBook {
 public:
  CheckBook(CheckSettings settings, const CheckBeginning& begin, const CheckMoment& now);

  /// Once a round: what became due.
  void observe(const CheckMoment& now);

  // Throw scpi::Error as of ReferenceChecker.
  void start(const std::string& name, const std::string& by, const std::string& recipe,
             const CheckMoment& now);
  void abort(const std::string& why, const CheckMoment& now);
  void declare_due(const std::string& name, const std::string& why, const CheckMoment& now);
  void override_check(const std::string& name, const std::string& by, const std::string& why,
                      const CheckMoment& now);

  /// The check in progress; null: none is.
  const CheckDefinition* checking() const { return checking_ ? &definition(*checking_) : nullptr; }
  /// The result of a reading, once it is stored. True: the check ended with it.
  bool take(const BoardVerdict& verdict, const CheckMoment& now);

  /// What a board that is concluded now relies on.
  ReferenceEvidence evidence(bool reading) const;
  /// Why no product may be measured now; empty: it may.
  std::string refusal() const;
  std::vector<CheckStatus> status() const;
  /// Checks that become due soon, one line each.
  std::vector<std::string> warnings(std::int64_t utc_s) const;
  const CheckSettings& settings() const { return settings_; }

  /// Records that the store does not have yet, oldest first.
  std::vector<CheckRecord> take_records();
  void put_back(std::vector<CheckRecord> records);
  bool has_records() const { return !records_.empty(); }

 private:
  struct Live {
    CheckRecord settled;  // newest step that is no override
    std::uint64_t good = 0;
    std::optional<CheckRecord> override_by;
    std::string unknown;  // why a VALID one can't be relied on just now
  };
  const CheckDefinition& definition(std::size_t i) const { return settings_.checks[i]; }
  std::size_t find(const std::string& name) const;
  void begin(std::size_t i, const KeptCheck& kept, const CheckBeginning& begin, const CheckMoment& now);
  std::string cause_of_due(const CheckDefinition& d, const CheckRecord& valid, const CheckMoment& now) const;
  void enter(std::size_t i, CheckRecord record, const CheckMoment& now);
  void make_due(std::size_t i, const std::string& why, const CheckMoment& now);
  void conclude(const CheckMoment& now);
  CheckState state_of(const Live& live) const;
  std::string why_of(const Live& live) const;

  CheckSettings settings_;
  std::vector<Live> live_;
  std::uint64_t last_id_ = 0;
  std::optional<std::size_t> checking_;
  std::vector<CheckReading> readings_;
  std::uint32_t faults_ = 0;
  std::string last_fault_;
  std::vector<CheckRecord> records_;
};

}  // namespace datum
