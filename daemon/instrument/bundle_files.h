// BundleFiles: the interface of the command protocol to the bundles of recipes and calibrations (daemon/fleet). The daemon
// implements it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "daemon/instrument/scpi_error.h"

namespace datum {

struct BundleOrder {
  std::string file;               // name in the spool
  std::string person;             // who wants it
  bool older = false;             // a smaller number than the installed one's is wanted
  std::string host, certificate;  // who sent it, as in lock_arbiter.h
};

class BundleFiles {
 public:
  virtual ~BundleFiles() = default;

  /// Reads the bundle once, checks it completely, then exchanges its files, all or none, and reads recipes and calibration again.
  /// A refusal changes nothing: -221 the cell is armed, or a procedure is in progress; -224 the bundle is refused; -258, -254,
  /// -250 errors of the folders; after the exchange began: -250 with what is left to do. `done` is called at the end, at once or
  /// later from the loop; instrument_changed() follows on every endpoint.
  using Done = std::function<void(const std::optional<scpi::Error>& refused)>;
  virtual void install(const BundleOrder& order, Done done) = 0;
  /// "NAME",NUMBER,"KEY","PERSON" of the installed bundle as fields; none: there is none.
  virtual std::string installed() const = 0;
};

}  // namespace datum
