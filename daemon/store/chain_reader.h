// Reads a store's chain beside its writer, all of it as it is at one moment: what a signer is shown.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/sign/entry_hash.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

class ChainReader {
 public:
  /// Throws StoreError; kind `corrupt` also where the store is of a schema without a chain.
  explicit ChainReader(const std::filesystem::path& store);

  const std::string& store_id() const { return id_; }
  /// The newest link that is on the disk for certain: statements of a removal behind the last result are not, a power cut may take
  /// them back (ResultStore::remove_oldest). Link 0: there is none.
  ChainPlace head() const;
  /// None: there is no such link, or it was removed.
  std::optional<ChainPlace> place(std::uint64_t link) const;
  /// Each link behind this one in turn, as it is stored, and the body that its hash should cover; ends where `take` returns false.
  /// Throws StoreError where a result of the chain is missing.
  void bodies_after(std::uint64_t link,
                    const std::function<bool(const ChainPlace&, const std::string& body)>& take) const;

 private:
  std::string body_of(const ChainEntry& link) const;

  std::filesystem::path file_;
  sqlite::Connection db_;
  std::string id_;
  std::vector<FormerId> former_;
};

}  // namespace datum
