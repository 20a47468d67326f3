#include "daemon/ctl/verify_results.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <fstream>
#include <map>
#include <stdexcept>

#include "daemon/cell/replay.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/store/chain_check.h"
#include "daemon/store/signature_check.h"
#include "daemon/store/store_check.h"
#include "gpu/board/cpu_board.h"

namespace datum {
namespace {

constexpr std::uint64_t batch = 16;  // results in memory at once

HeldEntry held_of(const std::string& text) {
  HeldEntry held;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, held.link);
  if (error != std::errc() || next == end || *next != ':' || end - next != 65)
    throw std::invalid_argument("--held '" + text +
                                "' is not LINK:SHA256 as an earlier verification printed it");
  held.sha256.assign(next + 1, end);
  return held;
}

SignedHead head_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(most_signed_head_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  try {
    return signed_head_of(text);
  } catch (const SignedHeadError& error) {
    throw std::invalid_argument(
        fmt::format("--head {}: {}; 'datumctl signature' writes one", file, error.what()));
  }
}

KnownSignatures known_of(const ResultsCheck& o) {
  KnownSignatures known;
  for (const std::string& file : o.heads) known.heads.push_back(head_of(file));
  try {
    for (const std::string& file : o.public_keys) known.keys.push_back(public_key_of(file));
  } catch (const KeyError& error) {
    throw std::invalid_argument(fmt::format("--public-key {}", error.what()));
  }
  return known;
}

std::string words_of(const ChainFault& fault) {
  return fault.sequence == 0 ? fault.what : fmt::format("result {} {}", fault.sequence, fault.what);
}

std::string text_of(const ChainReport& report, const SignatureReport& signatures,
                    const StoreStanding& standing) {
  std::string text = fmt::format("store {}: {} results, {} to {}\n", report.store_id, report.results,
                                 report.first, report.last);
  for (const std::string& renewal : report.renewals) text += fmt::format("  {}\n", renewal);
  for (const std::string& statement : report.statements) text += fmt::format("  {}\n", statement);
  for (const ChainFault& fault : report.first_faults)
    text += fmt::format("NOT AS WRITTEN: {}\n", words_of(fault));
  if (report.faults > report.first_faults.size())
    text += fmt::format("and {} more\n", report.faults - report.first_faults.size());
  if (report.faults == 0)
    text += report.results == 0 ? "the chain is whole, and has no result\n" : "the chain is whole\n";
  text += words_of(signatures, report);
  if (!standing.vouched.empty()) text += standing.vouched + '\n';
  if (!standing.fault.empty()) text += fmt::format("NOT AS WRITTEN: {}\n", standing.fault);
  if (!standing.unknown.empty()) text += fmt::format("CAN'T BE TOLD: {}\n", standing.unknown);
  return text + fmt::format("head {}:{}\n", report.head.link, report.head.sha256);
}

/// Measures stored frames again, one after the other.
class FrameCheck {
 public:
  FrameCheck(const ResultsCheck& options, const DaemonConfig& config)
      : options_(options),
        places_{config.recipes, config.calibrations, deliveries_folder(config)},
        threads_(config.backend.threads),
        sensor_(load_sensor(config.sensor_profile, threads_)),
        measurer_(cpu_backend(threads_)) {}

  void run(ResultStore& store) {
    places_.recipe_text = [&store](const std::string& sha256) { return store.recipe_text(sha256); };
    ResultFilter filter;
    filter.after = options_.from > 0 ? options_.from - 1 : 0;
    for (;;) {
      const auto results = store.list(filter, batch, ResultOrder::oldest_first);
      for (const StoredResult& result : results) check(result);
      if (results.size() < batch) return;
      filter.after = results.back().sequence;
    }
  }

  std::string text() const {
    std::string text = different_;
    text += fmt::format("frames: {} measured the same, {} not the same, {} not checked\n", same_, differ_,
                        unchecked());
    if (unmeasured_ > 0) text += fmt::format("  {} without a measurement to repeat\n", unmeasured_);
    for (const auto& [why, count] : untold_) text += fmt::format("  {} not checked: {}\n", count, why);
    return text;
  }
  std::uint64_t same() const { return same_; }
  std::uint64_t differ() const { return differ_; }
  /// Measured then, and not measured again now.
  std::uint64_t unchecked() const {
    std::uint64_t sum = 0;
    for (const auto& [why, count] : untold_) sum += count;
    return sum;
  }

 private:
  void check(const StoredResult& result) {
    try {
      const BoardVerdict verdict = result.verdict();
      if (verdict.components.empty()) {
        ++unmeasured_;
        return;
      }
      const auto replay = prepare_replay(verdict, places_, sensor_, measurer_, threads_);
      datum::run(*replay);
      if (replay->failed) return untold(frame_gone(replay->detail));
      if (replay->detail.empty()) {
        ++same_;
        return;
      }
      if (differ_++ < ChainReport::most_told)
        different_ += fmt::format("NOT THE SAME: result {} {}\n", result.sequence, replay->detail);
    } catch (const std::exception& error) {
      untold(error.what());
    }
  }

  /// Without the frame's name, so that equal causes are counted together.
  static std::string frame_gone(const std::string& detail) {
    return detail.find(" is no longer in ") == std::string::npos ? detail : "the frame is no longer kept";
  }

  void untold(const std::string& why) {
    if (untold_.size() < ChainReport::most_told || untold_.count(why) > 0)
      ++untold_[why];
    else
      ++untold_["other reasons"];
  }

  const ResultsCheck& options_;
  ReplayPlaces places_;
  unsigned threads_;
  SensorProfile sensor_;
  CpuBoardMeasurer measurer_;
  std::uint64_t same_ = 0, differ_ = 0, unmeasured_ = 0;
  std::string different_;
  std::map<std::string, std::uint64_t> untold_;
};

}  // namespace

void add_verify_results(CLI::App& verify, ResultsCheck& o, const std::function<void()>& chosen) {
  auto* command = verify.add_subcommand(
      "results", "is every stored result as it was written; keep the head that it prints elsewhere");
  command->callback(chosen);
  command->add_option("--store", o.store, "the store itself (default: what the configuration names)");
  command->add_option("--config", o.config, "configuration of the daemon")->capture_default_str();
  command
      ->add_option("--held", o.held,
                   "LINK:SHA256, a head that was printed before: only it finds a store written again")
      ->allow_extra_args(false);
  command
      ->add_option("--public-key", o.public_keys,
                   "PEM file with the signer's public key, had from elsewhere than the store: only its "
                   "signatures count")
      ->allow_extra_args(false);
  command
      ->add_option("--head", o.heads,
                   "a signed head that was kept elsewhere ('datumctl signature'): finds a store rewritten or "
                   "cut since")
      ->allow_extra_args(false);
  auto* frames = command->add_flag("--frames", o.frames,
                                   "measure the frames that are still kept again, each with the recipe of "
                                   "then, and compare; exit status 10: "
                                   "some could not be checked");
  command->add_option("--from", o.from, "with --frames: from this result on")->needs(frames);
}

Verified verify_results(const ResultsCheck& o) {
  std::vector<HeldEntry> held;
  for (const std::string& text : o.held) held.push_back(held_of(text));
  std::optional<DaemonConfig> config;
  if (o.store.empty() || o.frames) config = load_daemon_config(o.config);
  const std::filesystem::path file = o.store.empty() ? config->store : std::filesystem::path(o.store);
  const std::optional<Mark> mark = read_mark(file);
  const KnownSignatures known = known_of(o);
  const SignatureReport signatures = check_signatures(file, known);
  held.insert(held.end(), signatures.held.begin(), signatures.held.end());
  const ChainReport report = check_chain(file, held);
  const StoreStanding standing = standing_of(file, mark, report);
  const bool good = report.faults == 0 && signatures.faults.empty() && standing.fault.empty();
  const bool told = signatures.held.size() > report.removed_heads.size() || !known.any();
  Verified verified{!good                     ? Found::not_good
                    : standing.enough && told ? Found::good
                                              : Found::not_enough,
                    text_of(report, signatures, standing)};
  if (!o.frames) return verified;
  auto store = ResultStore::read_only(file);
  FrameCheck check(o, *config);
  check.run(store);
  verified.text += check.text();
  if (check.differ() > 0) verified.found = Found::not_good;
  if (verified.found == Found::good && check.same() == 0) verified.found = Found::not_enough;
  if (verified.found == Found::good && check.unchecked() > 0) verified.found = Found::untold;
  return verified;
}

}  // namespace datum
