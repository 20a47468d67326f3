// An archive of generated frames for datumd-batch: uncompressed int16 TIFFs of the benchmarks' board and their sidecars, with the
// recipe and the sensor's profile beside them.
#pragma once

#include <filesystem>
#include <string>

namespace datum::bench {

/// Path of a program that lies beside the bench.
std::string program_beside_bench(const char* name);

class BatchArchive {
 public:
  /// `distinct` images; the other boards' images are hard links to them, each with a frame id of its own.
  BatchArchive(const std::filesystem::path& parent, int boards, int distinct);
  ~BatchArchive();
  BatchArchive(const BatchArchive&) = delete;
  BatchArchive& operator=(const BatchArchive&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int boards() const { return boards_; }
  /// From 0.
  std::filesystem::path image(int n) const;
  /// Asks the kernel to drop the images' pages.
  void forget_pages() const;

 private:
  std::filesystem::path path_;
  const int boards_, distinct_;
};

}  // namespace datum::bench
