#include "daemon/cell/chain_signing.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {
namespace {

// At the end: the service manager waits for 30 s, and the signature can be had at the next start.
constexpr std::chrono::milliseconds last_timeout{3000};

}  // namespace

ChainSigning::ChainSigning(ChainSigningDependencies dependencies) : deps_(std::move(dependencies)) {
  if (deps_.settings) schedule_.emplace(*deps_.settings);
}

void ChainSigning::after_round(MonotonicNs now) {
  if (!schedule_ || !deps_.signer) return;
  if (!signed_.heads.empty()) return store_signatures();
  if (schedule_->due(now)) ask();
}

void ChainSigning::ask() {
  schedule_->asked();
  const auto got = std::make_shared<Signatures>();
  const SigningRequest request{deps_.settings->socket, deps_.store_file};
  deps_.signer->submit_fallible([=] { *got = ask_for_signature(request); },
                                [=, this](const std::string& failed) {
                                  if (!failed.empty()) return fail(failed);
                                  signed_ = *got;
                                  if (signed_.heads.empty()) succeed();
                                });
}

void ChainSigning::store_signatures() {
  if (deps_.worker.busy()) return;
  const auto heads = std::make_shared<std::vector<SignedHead>>(std::move(signed_.heads));
  signed_.heads.clear();
  deps_.worker.submit_fallible(
      [heads, &store = deps_.store] { store.keep_signed(*heads); },
      [this](const std::string& failed) { failed.empty() ? succeed() : fail(failed); });
}

void ChainSigning::succeed() {
  schedule_->got(signed_.more, EventLoop::now());
  if (!std::exchange(fault_, "").empty()) deps_.events.log(5, "the chain of results is signed again");
}

void ChainSigning::fail(const std::string& why) {
  schedule_->failed(EventLoop::now());
  if (std::exchange(fault_, why) == why) return;
  deps_.events.raise(scpi::mass_storage_error, "the chain of results is not signed: " + why,
                     {Event::signing_trouble, {{"DATUM_REASON", why}}});
}

std::string ChainSigning::refusal() const {
  if (!deps_.settings || !deps_.settings->required || fault_.empty()) return "";
  return "the chain of results is not signed, and signatures.required: " + fault_;
}

void ChainSigning::sign_at_end() {
  if (!schedule_) return;
  try {
    const Signatures got = ask_for_signature({deps_.settings->socket, deps_.store_file, last_timeout});
    deps_.store.keep_signed(got.heads);
  } catch (const std::exception& error) {
    deps_.events.log(
        4,
        fmt::format("the chain of results ends without a signature, which is asked for at the next start: {}",
                    error.what()));
  }
}

}  // namespace datum
