#include "daemon/pictures/part_file.h"

#include <stdexcept>
#include <system_error>

namespace datum {

PartFile::PartFile(const std::filesystem::path& file) : file_(file), part_(file) {
  part_ += ".part";
  out_.open(part_, std::ios::binary | std::ios::trunc);
  if (!out_) throw std::runtime_error(part_.string() + ": can't be written");
}

PartFile::~PartFile() {
  if (!out_.is_open()) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void PartFile::write(const std::string& bytes) {
  if (!out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error(part_.string() + ": can't be written; is the disk full?");
}

void PartFile::write_some(std::string& bytes) {
  if (bytes.size() < 1 << 20) return;
  write(bytes);
  bytes.clear();
}

void PartFile::finish() {
  if (!out_.flush()) throw std::runtime_error(part_.string() + ": can't be written; is the disk full?");
  out_.close();
  std::filesystem::rename(part_, file_);
}

}  // namespace datum
