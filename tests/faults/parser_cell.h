// A cell whose parsers are attacked: good boards go through the same process as what is damaged, and are measured all the while.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/faults/fault.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::faults {

/// A JSON sidecar of the sensor of such a cell.
std::string sidecar_of(const std::string& image, double pitch_mm, double z_scale_um);

/// A good board or set: PASS. One in some hundred has noise that looks like a second level, and is INVALID by itself.
void expect_good(scenario::Host& host, const plc::ResultLine& line, Findings& findings);

class ParserCell {
 public:
  explicit ParserCell(Findings& findings) : findings_(findings) {}

  scenario::Cell& cell() { return cell_; }
  scenario::Host& reader() { return *reader_; }
  Findings& findings() { return findings_; }

  void start();
  /// Moves what lies in the outbox into the drop folder.
  void put(const std::string& name);
  /// A good board, an LZW TIFF, which datumd has parsed apart; how long from its delivery to its result, in ms.
  /// Its noise decides how closely it is looked at, which takes up to twice as long for one in a hundred: boards that are compared
  /// have the same noise, and each its own `variant`, counts by which all of it is higher, so that no picture comes twice.
  double board(std::uint32_t noise, int variant = 0);
  /// So many damaged frames were delivered, of which no result was seen yet.
  void awaits(int frames) { waiting_ += frames; }
  void await_damaged();
  /// Kept deliveries would fill the disk.
  void clean();
  /// datumd and its parsers are well, and datumd ends.
  void finish();

 private:
  void write_good(const std::string& name, const std::string& ptr, int variant);
  void expect_refused(const plc::ResultLine& line);

  scenario::Cell cell_{[] {
    scenario::CellOptions options;
    options.push_results = false;
    return options;
  }()};
  Findings& findings_;
  std::unique_ptr<scenario::Host> reader_;
  std::uint32_t boards_ = 0;
  int waiting_ = 0;
};

}  // namespace datum::faults
