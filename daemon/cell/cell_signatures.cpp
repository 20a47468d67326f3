// Heads of the chain of results, to the signer and back into the store; no board waits for the signer.
#include <fmt/format.h>

#include "daemon/cell/cell.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/store/signing_client.h"
#include "daemon/system/event_loop.h"

namespace datum {
namespace {

// At the end: the service manager waits for 30 s, and the signature can be had at the next start.
constexpr std::chrono::milliseconds last_timeout{3000};

}  // namespace

/// The signer is asked on a thread of its own, which reads the store beside its writer.
void InspectionCell::keep_signatures(MonotonicNs now) {
  if (!signing_ || !parts_.signer) return;
  if (!signed_.heads.empty()) return store_signatures();
  if (!signing_->due(now)) return;
  signing_->asked();
  const auto got = std::make_shared<Signatures>();
  const auto failed = std::make_shared<std::string>();
  const SigningRequest request{parts_.config.signatures->socket, parts_.config.store};
  const auto ask = [=] {
    try {
      *got = ask_for_signature(request);
    } catch (const std::exception& error) {
      *failed = error.what();
    }
  };
  parts_.signer->submit(ask, [=, this] {
    if (!failed->empty()) return signing_failed(*failed);
    signed_ = *got;
    if (signed_.heads.empty()) signing_done();
  });
}

/// On the worker, which stores results too, while no board waits for it.
void InspectionCell::store_signatures() {
  if (parts_.worker.busy()) return;
  const auto heads = std::make_shared<std::vector<SignedHead>>(std::move(signed_.heads));
  signed_.heads.clear();
  const auto failed = std::make_shared<std::string>();
  const auto keep = [=, &store = parts_.writer] {
    try {
      store.keep_signed(*heads);
    } catch (const std::exception& error) {
      *failed = error.what();
    }
  };
  parts_.worker.submit(keep, [=, this] {
    if (failed->empty())
      signing_done();
    else
      signing_failed(*failed);
  });
}

void InspectionCell::signing_done() {
  signing_->got(signed_.more, EventLoop::now());
  if (!std::exchange(not_signed_, "").empty()) log(5, "the chain of results is signed again");
}

void InspectionCell::signing_failed(const std::string& why) {
  signing_->failed(EventLoop::now());
  if (std::exchange(not_signed_, why) == why) return;
  raise(scpi::mass_storage_error, "the chain of results is not signed: " + why,
        {Event::signing_trouble, {{"DATUM_REASON", why}}});
}

std::string InspectionCell::signing_refusal() const {
  if (!parts_.config.signatures || !parts_.config.signatures->required || not_signed_.empty()) return "";
  return "the chain of results is not signed, and signatures.required: " + not_signed_;
}

/// The board in hand is finished, and no other is taken.
void InspectionCell::watch_signatures() {
  const bool in_hand = board_ || part_ || parts_.worker.busy();
  if (in_hand || state_ != InstrumentState::armed) return;
  if (const std::string why = signing_refusal(); !why.empty()) enter(InstrumentState::idle, why);
}

void InspectionCell::sign_at_end() {
  if (!signing_) return;
  try {
    const Signatures got =
        ask_for_signature({parts_.config.signatures->socket, parts_.config.store, last_timeout});
    parts_.writer.keep_signed(got.heads);
  } catch (const std::exception& error) {
    log(4,
        fmt::format("the chain of results ends without a signature, which is asked for at the next start: {}",
                    error.what()));
  }
}

}  // namespace datum
