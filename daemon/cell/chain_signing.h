// ChainSigning: heads of the chain of results go to the signer, and back into the store. No board waits for the signer.
//
// The signer is asked on a thread of its own, which reads the store beside its writer; the worker, which stores results,
// stores the signatures. On the loop's thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "daemon/cell/host_events.h"
#include "daemon/cell/signing_schedule.h"
#include "daemon/store/result_store.h"
#include "daemon/store/signing_client.h"
#include "daemon/system/worker.h"

namespace datum {

struct ChainSigningDependencies {
  std::optional<SigningSettings> settings;  // none: nobody signs
  std::filesystem::path store_file;
  Worker* signer;  // waits for whoever signs; null: nobody is asked
  Worker& worker;  // has the store
  ResultStore& store;
  const HostEvents& events;
};

class ChainSigning {
 public:
  explicit ChainSigning(ChainSigningDependencies dependencies);

  /// A result was stored.
  void stored() {
    if (schedule_) schedule_->stored();
  }
  /// Asks the signer where that is due, or stores what it signed where the worker is free.
  void after_round(MonotonicNs now);
  /// Why the chain is not signed; empty: it is, as far as it must be.
  const std::string& fault() const { return fault_; }
  /// Why no board may be taken without a signature; empty: one may.
  std::string refusal() const;
  /// After the last round of the loop, with the worker finished: the head of the chain is signed once more.
  void sign_at_end();

 private:
  void ask();
  void store_signatures();
  void succeed();
  void fail(const std::string& why);

  ChainSigningDependencies deps_;
  std::optional<SigningSchedule> schedule_;
  Signatures signed_;  // not stored yet
  std::string fault_;  // as it was reported last
};

}  // namespace datum
