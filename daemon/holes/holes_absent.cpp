// What a first demo says in place of touching holes, which it leaves out with the comparison of parts (DATUM_SURFACES).
#include "daemon/holes/hole_tour.h"

namespace datum {
namespace {

[[noreturn]] void refuse_touching() {
  throw scpi::Error(scpi::hardware_missing,
                    "a first demo touches no holes; ./datum demo --holes, test or install builds it");
}

}  // namespace

HoleProcedure::HoleProcedure(HoleProcedureDependencies parts)
    : parts_(std::move(parts)),
      touch_(parts_.cmm, [](const TouchSource&, MonotonicNs) {}),
      scan_(parts_, "PROBe:HOLE:SCAN"),
      drive_(nullptr, {}) {}

void HoleProcedure::demand_ready(const Calibration&) const { refuse_touching(); }
void HoleProcedure::start(const HoleOrder&) { refuse_touching(); }
void HoleProcedure::scan() { refuse_touching(); }
void HoleProcedure::enter() { refuse_touching(); }
void HoleProcedure::touch() { refuse_touching(); }
void HoleProcedure::abort() {}
std::string HoleProcedure::step() const { return "IDLE"; }
std::vector<std::string> HoleProcedure::report() const { return {}; }
std::vector<HoleMove> HoleProcedure::moves() const { return {}; }
std::optional<HoleResult> HoleProcedure::result() const { return {}; }
void HoleProcedure::position(const ProbePoint&, MonotonicNs) {}
std::optional<MonotonicNs> HoleProcedure::deadline() const { return {}; }
void HoleProcedure::on_deadline(MonotonicNs) {}

HoleTour::HoleTour(HoleProcedure& procedure, ProcedureDependencies parts,
                   const std::optional<HoleSettings>& holes)
    : procedure_(procedure), parts_(std::move(parts)), settings_(holes) {}

std::string HoleTour::detail() const { return {}; }
void HoleTour::start(TourDemand, Ended) { refuse_touching(); }
void HoleTour::abort() {}
void HoleTour::after_round() {}

}  // namespace datum
