// A block of memory between datumd and datumd-parse, by its descriptor: it is copied into and out of, never looked at in place
// by datumd, for whom a block that was cut short is a short read and not a signal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace datum {

class ParseBlock {
 public:
  ParseBlock() = default;
  /// A new one, empty (memfd_create). Throws std::runtime_error.
  static ParseBlock create(const char* name);
  /// Takes the descriptor over.
  explicit ParseBlock(int fd) : fd_(fd) {}
  ~ParseBlock();
  ParseBlock(ParseBlock&& other) noexcept;
  ParseBlock& operator=(ParseBlock&& other) noexcept;

  int fd() const { return fd_; }
  /// Grows it where it must. Throws std::runtime_error.
  void write(std::uint64_t at, const void* from, std::size_t size);
  /// False: it has not so many bytes there.
  bool read(std::uint64_t at, void* to, std::size_t size) const;
  /// Gives memory back beyond so many bytes.
  void shrink(std::uint64_t bytes);

  // In datumd-parse, where a signal (SIGBUS: no memory, or a block that was cut) is a refusal. A mapping stays: pages take as
  // long to map as to copy.
  /// Its first bytes, for one who does not call write_mapped(). Throws std::bad_alloc.
  const std::uint8_t* mapped(std::size_t size);
  /// As write(). What the other side cuts off between two calls grows again. Throws std::bad_alloc.
  void write_mapped(std::uint64_t at, const void* from, std::size_t size);

 private:
  void map(std::size_t size, int protection);

  int fd_ = -1;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace datum
