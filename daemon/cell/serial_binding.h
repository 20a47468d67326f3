// SerialBinding: which serial number the next trigger's board has. Pure: all times are given.
//
// A number belongs to one trigger, which takes it. It is in doubt, and the trigger's board INVALID, where a scanner read two numbers
// before it, or something unreadable after a number, or lost its line, or where a host names another number than the scanner read. A
// host's newer number replaces its older one; its empty one takes back number and doubt.
//
// The serial numbers of a panel's boards belong to the same trigger. They are in doubt where another recipe was chosen, or the
// panel's own number is another one, than when they were stated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"

namespace datum {

struct StatedSerial {
  std::string text;      // empty: none
  std::string by;        // as SerialEvidence::by
  std::string read_hex;  // the scanner's bytes
  MonotonicNs told_ns = 0;
};

/// Serial numbers of the boards of a panel, by a host.
struct StatedBoards {
  std::vector<std::string> serials;  // in the order of the recipe's places, "" for none; empty: not stated
  std::string recipe_sha256;         // of the recipe that was chosen then
  std::string unit;                  // the panel's own number then; empty: it had none, and may get one
  MonotonicNs told_ns = 0;
};

/// A number as a trigger takes it.
struct BoundSerial {
  StatedSerial serial;
  std::string doubt;  // why it may be another board's; empty: it is this one's. Then serial has no text
  StatedBoards boards = {};  // with a doubt: none
  std::string repair =
      {};  // what was done to the board since its last attempt, by a host; empty: nothing is stated
};

struct SerialLimits {
  MonotonicNs duplicate_ns = 0;  // the same scan again within it is the same one
  MonotonicNs late_ns = 0;       // after the trigger of a board without number a scan may be that board's
  MonotonicNs valid_ns = 0;      // from a scan to its trigger
};

class SerialBinding {
 public:
  enum class Scan {
    taken,
    repeated,  // the same again
    late,      // refused: perhaps of the board that has none
    doubtful,  // the next trigger's board is INVALID
    refused,   // unreadable, and no number is there to be doubted
  };

  explicit SerialBinding(SerialLimits limits) : limits_(limits) {}

  void state(const std::string& text, MonotonicNs now);
  /// What was done to the next trigger's board since it was measured last; empty: takes it back.
  void state_repair(const std::string& what) { repair_ = what; }
  /// Replaces those stated before; an empty list takes them back.
  void state_boards(std::vector<std::string> serials, const std::string& recipe_sha256, MonotonicNs now);
  /// `in_work`: a board is measured, or its result is not announced yet.
  Scan scan(const std::string& text, const std::string& read_hex, MonotonicNs now, bool in_work);
  /// A scan without a number, or a lost line.
  Scan scan_failed(const std::string& why, MonotonicNs now);

  /// `recipe_sha256`: of the recipe that the trigger's board is measured by.
  BoundSerial take(MonotonicNs now, const std::string& recipe_sha256);
  /// The trigger's frame was nobody's. A number that was told meanwhile is the newer one, and stays.
  void give_back(const BoundSerial& bound);
  void forget();

  /// The next trigger's, where it has one.
  const StatedSerial& next() const { return next_; }
  const std::string& doubt() const { return doubt_; }
  const StatedBoards& boards() const { return boards_; }
  const std::string& repair() const { return repair_; }
  /// When the newest number was told, taken or not.
  MonotonicNs told_ns() const { return told_ns_; }

 private:
  bool scanned() const;
  void drop_old(MonotonicNs now);
  Scan doubt(std::string why);

  SerialLimits limits_;
  MonotonicNs told_ns_ = 0;
  StatedSerial next_;
  StatedBoards boards_;
  std::string repair_;
  std::string doubt_;
  std::string last_scan_, last_taken_;
  std::optional<MonotonicNs> last_scan_ns_;
  std::optional<MonotonicNs> without_ns_;  // trigger of the newest board, where it had none
};

}  // namespace datum
