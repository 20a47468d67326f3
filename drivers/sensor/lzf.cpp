#include "drivers/sensor/lzf.h"

#include <fmt/format.h>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

constexpr unsigned literal_run = 32;  // a control byte below it: number of following literal bytes, less one

class Unpacker {
 public:
  Unpacker(ByteView in, std::size_t size, const std::string& name) : in_(in), name_(name) {
    out_.reserve(size);
  }

  Bytes run(std::size_t size) {
    while (at_ < in_.size()) {
      const unsigned control = take();
      control < literal_run ? literals(control + 1, size) : reference(control, size);
    }
    if (out_.size() != size) refuse(fmt::format("{} bytes where {} are announced", out_.size(), size));
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FrameError(fmt::format("{}: its compressed data is damaged: {}", name_, what));
  }
  std::uint8_t take() {
    if (at_ == in_.size()) refuse("it ends too early");
    return in_[at_++];
  }
  void literals(std::size_t count, std::size_t size) {
    if (in_.size() - at_ < count) refuse("it ends too early");
    if (size - out_.size() < count) refuse(fmt::format("more than {} bytes", size));
    out_.insert(out_.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_),
                in_.begin() + static_cast<std::ptrdiff_t>(at_ + count));
    at_ += count;
  }
  // Three bits of length (7: one more byte), thirteen of distance.
  void reference(unsigned control, std::size_t size) {
    std::size_t count = control >> 5;
    if (count == 7) count += take();
    count += 2;
    const std::size_t back = ((control & 31) << 8 | take()) + std::size_t{1};
    if (back > out_.size()) refuse("a reference before its start");
    if (size - out_.size() < count) refuse(fmt::format("more than {} bytes", size));
    for (std::size_t i = 0; i < count; ++i) out_.push_back(out_[out_.size() - back]);
  }

  ByteView in_;
  std::size_t at_ = 0;
  Bytes out_;
  const std::string& name_;
};

}  // namespace

Bytes unpack_lzf(ByteView packed, std::size_t size, const std::string& name) {
  return Unpacker(packed, size, name).run(size);
}

}  // namespace datum
