#include "daemon/store/signature_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "daemon/store/signed_heads.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

class SignatureWalk {
 public:
  explicit SignatureWalk(const KnownSignatures& known)
      : known_(known), trusted_(known.keys.begin(), known.keys.end()) {}

  void take(const std::string& record) {
    try {
      const SignedHead head = signed_head_of(record);
      if (!holds(head, "in the store")) return;
      follow(head);
      if (report_.in_store++ == 0) report_.first = name_of(head);
      report_.last = name_of(head);
      if (report_.keys.empty() || report_.keys.back() != head.key) report_.keys.push_back(head.key);
      report_.held.push_back({head.head.link, head.head.sha256, head.store, name_of(head), true});
    } catch (const SignedHeadError& error) {
      fault(fmt::format("a signature in the store was altered: {}", error.what()));
    }
  }

  void take_kept(const SignedHead& head) {
    if (holds(head, "that was kept"))
      report_.held.push_back(
          {head.head.link, head.head.sha256, head.store, "the kept " + name_of(head), false});
  }

  SignatureReport done() {
    if (known_.any() && report_.in_store == 0)
      report_.unknown.push_back(
          "the store keeps no signature of such a key: nothing proves the time at which results were "
          "there");
    if (known_.keys.empty())
      for (const std::string& key : all_keys_)
        report_.unknown.push_back(fmt::format(
            "whether {} is the signer's key: only one that was had from elsewhere says so (--public-key)",
            key));
    return std::move(report_);
  }

 private:
  /// A key is trusted too where a trusted key handed over to it.
  bool trusts(const SignedHead& head) {
    if (known_.keys.empty() || trusted_.count(head.key) > 0) return true;
    const auto& from = head.handed_over;
    if (!from || trusted_.count(from->former) == 0 || !is_good(*from, head.key)) return false;
    trusted_.insert(head.key);
    return true;
  }

  bool holds(const SignedHead& head, const char* where) {
    if (!is_good(head)) {
      fault(fmt::format("{} {} is not good: it, or what it states, was altered", name_of(head), where));
      return false;
    }
    if (!trusts(head)) {
      fault(fmt::format("{} {} is by another key, {}", name_of(head), where, head.key));
      return false;
    }
    if (std::find(all_keys_.begin(), all_keys_.end(), head.key) == all_keys_.end())
      all_keys_.push_back(head.key);
    return true;
  }

  /// Checks that numbers and entries of one store's signatures ascend.
  void follow(const SignedHead& head) {
    const auto found = before_.find(head.store);
    if (found != before_.end()) compare(found->second, head);
    before_.insert_or_assign(head.store, head);
  }
  void compare(const SignedHead& before, const SignedHead& head) {
    if (head.head.link == before.head.link && head.head != before.head)
      fault(fmt::format("{} and {} are of one link with other hashes: two branches were signed",
                        name_of(before), name_of(head)));
    else if (head.number == before.number + 1 && head.after != before.head)
      fault(fmt::format("{} follows another head than {}: two branches were signed", name_of(head),
                        name_of(before)));
    else if (head.number == 1)
      report_.unknown.push_back(fmt::format(
          "why numbers begin again with {}: the signer's memory was removed, or there are two signers",
          name_of(head)));
    else if (head.number <= before.number)
      fault(fmt::format("{} stands behind {}: two signers have the key, or the signer was set back",
                        name_of(head), name_of(before)));
    else if (head.number != before.number + 1)
      fault(fmt::format("signatures {} to {} are missing: they were taken out", before.number + 1,
                        head.number - 1));
    if (head.utc < before.utc)
      report_.unknown.push_back(
          fmt::format("at what time was signed: {} stands behind {}, the signer's clock was set back",
                      name_of(head), name_of(before)));
  }

  void fault(std::string what) { report_.faults.push_back(std::move(what)); }

  const KnownSignatures& known_;
  std::set<std::string> trusted_;
  std::vector<std::string> all_keys_;
  std::map<std::string, SignedHead> before_;  // by store
  SignatureReport report_;
};

}  // namespace

SignatureReport check_signatures(const fs::path& store, const KnownSignatures& known) {
  if (!fs::exists(store))
    throw StoreError(StoreError::Kind::missing, store.string() + ": no result store there");
  SignatureWalk walk(known);
  const sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  readable_schema(db.get(), store);
  for (const std::string& record : signed_heads_of(db.get(), store)) walk.take(record);
  for (const SignedHead& head : known.heads) walk.take_kept(head);
  return walk.done();
}

std::string words_of(const SignatureReport& s, const ChainReport& chain) {
  std::string text;
  if (s.in_store > 0)
    text += fmt::format("signed: {} signatures, {} to {}, by {}\n", s.in_store, s.first, s.last,
                        fmt::join(s.keys, ", "));
  if (chain.signed_link > 0)
    text += fmt::format("signed: the chain up to link {}, results up to {}; not yet signed: {}\n",
                        chain.signed_link, chain.signed_result,
                        chain.last > chain.signed_result
                            ? fmt::format("results {} to {}", chain.signed_result + 1, chain.last)
                            : "none");
  for (const HeldEntry& held : s.held)
    if (!held.in_store) text += fmt::format("looked at: {}, link {}\n", held.who, held.link);
  for (const std::string& what : s.faults) text += fmt::format("NOT AS WRITTEN: {}\n", what);
  for (const auto* list : {&s.unknown, &chain.removed_heads})
    for (const std::string& what : *list) text += fmt::format("CAN'T BE TOLD: {}\n", what);
  if (s.in_store > 0)
    text +=
        "what was cut behind the last signature, with its signatures, is known to the signer and to who kept "
        "a "
        "head (--head) alone\n";
  return text;
}

}  // namespace datum
