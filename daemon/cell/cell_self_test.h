// CellSelfTest: what *TST? checks: kernels, the board measurer, store, signer, links and calibration. One line for each
// failure. On the loop's thread; the arithmetic may run on the worker.
#pragma once

#include <string>
#include <vector>

#include "daemon/cell/cell_links.h"
#include "daemon/cell/chain_signing.h"
#include "daemon/cell/measurement_basis.h"
#include "daemon/cell/store_maintenance.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/instrument/instrument.h"

namespace datum {

struct CellSelfTestDependencies {
  const DaemonConfig& config;
  const BackendChoice& backend;
  unsigned threads;
  Worker& worker;
  ResultStore& reader;
  const HostEvents& events;
  const MeasurementBasis& basis;
  const CellLinks& links;
  const ChainSigning& signing;
  const StoreMaintenance& maintenance;
};

class CellSelfTest {
 public:
  explicit CellSelfTest(CellSelfTestDependencies dependencies) : deps_(dependencies) {}

  /// The arithmetic runs on the worker, behind a board in hand: it may wait for a GPU.
  void start(Instrument::SelfTestDone done);
  /// At once, and without the board measurer where the worker has it.
  std::vector<std::string> run();

 private:
  void add_service_faults(std::vector<std::string>& failures) const;

  CellSelfTestDependencies deps_;
};

}  // namespace datum
