// Calibrator: the interface of the command protocol to a calibration. The daemon implements it.
//
//   start -> touch each face, scan -> solve -> accept, or verify against the current calibration
//
// touch(), scan() and solve() are overlapped like trigger(): they return at once, and Instrument::operation_pending()
// stays true until they end. step() gives the state; a failure goes to the error queue. A refusal is thrown as
// scpi::Error. All calls come from the loop's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace datum {

class Calibrator {
 public:
  virtual ~Calibrator() = default;

  /// `artefact`: its serial number; `degc`: its temperature in degC. -221 armed, or a calibration is in progress; -241
  /// the configuration has no [calibration]; -256 no drawing of this artefact.
  virtual void start(const std::string& artefact, const std::string& operator_name, double degc) = 0;
  /// The next touch belongs to this face. -221 no calibration is in progress, or it waits for another step; -224 the
  /// artefact has no such face.
  virtual void touch(const std::string& face) = 0;
  /// Discards the touches of a face; "" discards all.
  virtual void forget(const std::string& face) = 0;
  /// The next frame is taken as the scan of the artefact.
  virtual void scan() = 0;
  virtual void solve() = 0;
  /// Stores the solved calibration and makes it current. -340 it fails its checks, or could not be stored.
  virtual void accept() = 0;
  /// Makes a stored calibration current. -340 it fails its checks.
  virtual void accept(const std::string& id, const std::string& operator_name) = 0;
  /// Compares the solved calibration with the current one; the journal records either outcome. -340 drift.
  virtual void verify() = 0;
  /// Withdraws the current calibration. -340 none is current.
  virtual void withdraw(const std::string& operator_name, const std::string& why) = 0;
  virtual void abort() = 0;

  /// IDLE, COLLECTING, TOUCHING, SCANNING, SOLVING or SOLVED.
  virtual std::string step() const = 0;
  /// Collected and missing data, one line each, for an operator.
  virtual std::vector<std::string> report() const = 0;
};

}  // namespace datum
