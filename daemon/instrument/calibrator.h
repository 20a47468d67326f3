// Calibrator: what the command protocol asks of a calibration. The daemon implements it; the codec knows no more.
//
//   start -> touch each face, scan -> solve -> accept, or verify against the current calibration
//
// touch(), scan() and solve() are overlapped as a trigger is: they return at once and
// Instrument::operation_pending() stays true until they ended; how is in state(), a failure in the error queue.
// A command is refused by throwing scpi::Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace datum {

class Calibrator {
 public:
  virtual ~Calibrator() = default;

  /// `artefact`: the serial number on it. -221 armed, or a calibration is in progress; -241 the cell's
  /// configuration has no [calibration]; -256 no drawing of this artefact.
  virtual void start(const std::string& artefact, const std::string& operator_name, double degc) = 0;
  /// The next touch is one of this face. -221 no calibration is in progress, or it waits for something else;
  /// -224 the artefact has no such face.
  virtual void touch(const std::string& face) = 0;
  /// Forgets the touches of a face, "" those of all.
  virtual void forget(const std::string& face) = 0;
  /// The next frame shows the artefact.
  virtual void scan() = 0;
  virtual void solve() = 0;
  /// Stores what was solved and makes it current. -340 it must not be accepted, or could not be stored.
  virtual void accept() = 0;
  /// Makes a calibration that lies in the folder current. -340 it must not be.
  virtual void accept(const std::string& id, const std::string& operator_name) = 0;
  /// Compares what was solved with the current calibration; both outcomes go to the journal. -340 it has drifted.
  virtual void verify() = 0;
  /// The current calibration is current no more. -340 none is.
  virtual void withdraw(const std::string& operator_name, const std::string& why) = 0;
  virtual void abort() = 0;

  /// IDLE, COLLECTING, TOUCHING, SCANNING, SOLVING or SOLVED.
  virtual std::string step() const = 0;
  /// What is there and what is still needed, one line each, for an operator.
  virtual std::vector<std::string> report() const = 0;
};

}  // namespace datum
