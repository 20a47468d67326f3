// What a first demo says in place of calibrating, which it leaves out (DATUM_OFFLINE).
#include "daemon/calibration/calibration_procedure.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse_calibrating() {
  throw scpi::Error(
      scpi::hardware_missing,
      "a first demo leaves calibrating out; ./datum demo --snapshots, test or install builds it");
}

}  // namespace

CalibrationProcedure::CalibrationProcedure(CalibrationProcedureDependencies parts)
    : parts_(std::move(parts)),
      archive_(parts_.config.calibrations),
      touch_(parts_.cmm, [](const TouchSource&, MonotonicNs) {}),
      scan_(parts_, "CALibration:SCAN") {}

void CalibrationProcedure::start(const std::string&, const std::string&, double) { refuse_calibrating(); }
void CalibrationProcedure::touch(const std::string&) { refuse_calibrating(); }
void CalibrationProcedure::forget(const std::string&) { refuse_calibrating(); }
void CalibrationProcedure::scan() { refuse_calibrating(); }
void CalibrationProcedure::solve() { refuse_calibrating(); }
void CalibrationProcedure::accept() { refuse_calibrating(); }
void CalibrationProcedure::accept(const std::string&, const std::string&) { refuse_calibrating(); }
void CalibrationProcedure::verify() { refuse_calibrating(); }
void CalibrationProcedure::withdraw(const std::string&, const std::string&) { refuse_calibrating(); }
void CalibrationProcedure::abort() {}
std::string CalibrationProcedure::step() const { return "IDLE"; }
std::vector<std::string> CalibrationProcedure::report() const { return {}; }
void CalibrationProcedure::position(const ProbePoint&, MonotonicNs) {}
std::optional<MonotonicNs> CalibrationProcedure::deadline() const { return {}; }
void CalibrationProcedure::on_deadline(MonotonicNs) {}

}  // namespace datum
