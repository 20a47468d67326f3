#include "daemon/sign/head_signer.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "config/utc_time.h"
#include "daemon/sign/hex.h"
#include "daemon/system/durable_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// The text of a small file; empty where it does not exist. Throws std::runtime_error.
std::string small_file(const fs::path& file) {
  if (!fs::exists(file)) return "";
  std::ifstream in(file, std::ios::binary);
  std::string text(most_signed_head_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.empty() || text.size() > most_signed_head_bytes)
    throw std::runtime_error(fmt::format("{}: can't be read, or is not as it was written", file.string()));
  return text;
}

fs::path handover_file(const fs::path& state) { return state / "handed_over"; }

/// None: this key has no former key.
std::optional<KeyHandover> kept_handover(const fs::path& state, const std::string& key) {
  std::istringstream text(small_file(handover_file(state)));
  std::string of;
  KeyHandover handover;
  if (!(text >> of >> handover.former >> handover.utc >> handover.signature) || of != key)
    return std::nullopt;
  if (!is_good(handover, key))
    throw std::runtime_error(handover_file(state).string() + ": its signature is not the former key's");
  return handover;
}

/// An unreadable head would remain the last head of its store for ever.
void check_readable(const std::string& text) try {
  signed_head_of(text);
} catch (const SignedHeadError& error) {
  throw SignRefused(fmt::format("links count from 1: {}", error.what()));
}

std::size_t stores_in(const fs::path& state) {
  return static_cast<std::size_t>(
      std::count_if(fs::directory_iterator(state), fs::directory_iterator(),
                    [](const fs::directory_entry& entry) { return entry.path().extension() == ".head"; }));
}

}  // namespace

HeadSigner::HeadSigner(SigningKey key, fs::path state, std::function<std::int64_t()> utc_s)
    : key_(std::move(key)), state_(std::move(state)), utc_s_(std::move(utc_s)) {
  handed_over_ = kept_handover(state_, key_.public_key());
}

fs::path HeadSigner::file_of(const std::string& store) const {
  if (!is_hex(store, 16)) throw SignRefused("a store's id has 16 hex digits");
  return state_ / (store + ".head");
}

std::optional<SignedHead> HeadSigner::last(const std::string& store) const {
  const fs::path file = file_of(store);
  try {
    const std::string text = small_file(file);
    if (text.empty()) return std::nullopt;
    SignedHead head = signed_head_of(text);
    if (head.store != store || !is_good(head))
      throw SignedHeadError("it was signed for another store, or not at all");
    return head;
  } catch (const std::runtime_error& error) {
    throw SignRefused(
        fmt::format("{}: {}; what was signed last is not known, so nothing is", file.string(), error.what()));
  }
}

Descent HeadSigner::descend(const std::string& store, const ChainPlace& from) const {
  Descent way;
  way.store_ = store;
  way.last_ = last(store);
  way.place_ = from;
  if (way.last_ && way.last_->head != from)
    throw SignRefused(fmt::format(
        "{} is of link {} with hash {}; only what follows it is signed, and link {} with "
        "hash {} is another",
        name_of(*way.last_), way.last_->head.link, way.last_->head.sha256, from.link, from.sha256));
  if (!way.last_ && stores_in(state_) >= most_stores)
    throw SignRefused(fmt::format("{} stores are known already; remove files of old ones from {}",
                                  most_stores, state_.string()));
  return way;
}

SignedHead HeadSigner::sign(const Descent& way) {
  if (way.last_ && way.last_->head == way.place_) return *way.last_;
  SignedHead head;
  head.store = way.store_;
  head.number = way.last_ ? way.last_->number + 1 : 1;
  head.head = way.place_;
  if (way.last_) head.after = way.last_->head;
  head.utc = iso8601_from_utc(utc_s_());
  head.handed_over = handed_over_;
  datum::sign(head, key_);
  const std::string text = text_of(head);
  check_readable(text);
  write_file_durably(file_of(way.store_), text);
  return head;
}

void keep_handover(const fs::path& state, const SigningKey& former, const std::string& next,
                   const std::string& utc) {
  const KeyHandover h = hand_over(former, next, utc);
  write_file_durably(handover_file(state), fmt::format("{} {} {} {}\n", next, h.former, h.utc, h.signature));
}

}  // namespace datum
