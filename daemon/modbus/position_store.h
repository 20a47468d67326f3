// PositionStore: the acknowledged position of each host across restarts. It has a file of its own, so that it and the
// result store never wait for each other. After a power cut a host may receive results again whose acknowledgement was
// lost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "daemon/store/result_store.h"

namespace datum::modbus {

/// The highest position of any host in the result store of this id, for HeldPosition; sequence 0 without a file. Throws
/// StoreError.
HeldPosition highest_position(const std::filesystem::path& file, const std::string& store_id);

class PositionStore {
 public:
  /// Opens or creates the file. Throws StoreError.
  explicit PositionStore(const std::filesystem::path& file);
  ~PositionStore();
  PositionStore(const PositionStore&) = delete;
  PositionStore& operator=(const PositionStore&) = delete;

  /// Positions of all hosts in the result store of this id; positions in other stores are ignored.
  std::map<std::string, std::uint64_t> load(const std::string& store_id);
  /// Durable when it returns. Throws StoreError.
  void save(const std::string& store_id, const std::map<std::string, std::uint64_t>& positions);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace datum::modbus
