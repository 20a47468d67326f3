// PositionStore: up to which result each host has acknowledged, over restarts. A file of its own, so that no host waits for
// the result store and none holds it up. What is written late is not lost: a host is given a result again whose
// acknowledgement a power cut took.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "daemon/store/result_store.h"

namespace datum::modbus {

/// The highest one of any host in the result store of this id, as HeldPosition has it; sequence 0 where there is no file.
/// Throws StoreError.
HeldPosition highest_position(const std::filesystem::path& file, const std::string& store_id);

class PositionStore {
 public:
  /// Opens the file, makes it where there is none. Throws StoreError.
  explicit PositionStore(const std::filesystem::path& file);
  ~PositionStore();
  PositionStore(const PositionStore&) = delete;
  PositionStore& operator=(const PositionStore&) = delete;

  /// Of every host, in the result store of this id; positions in another one say nothing.
  std::map<std::string, std::uint64_t> load(const std::string& store_id);
  /// Durable when it returns. Throws StoreError.
  void save(const std::string& store_id, const std::map<std::string, std::uint64_t>& positions);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace datum::modbus
