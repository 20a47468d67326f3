#include "drivers/sensor/stated_sum.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "drivers/frame/frame_error.h"

namespace datum {

void check_sum(const std::string& name, const std::string& is, const std::string& stated) {
  if (!stated.empty() && is != stated)
    throw FrameError(fmt::format(
        "{}: its SHA-256 differs from the sidecar's; it is truncated, damaged or another file", name));
}

StatedSum::StatedSum(Bytes&& bytes, std::string stated, std::string name, const ReadSettings& settings)
    : bytes_(std::move(bytes)),
      stated_(std::move(stated)),
      name_(std::move(name)),
      buffers_(settings.buffers) {
  if (settings.threads < 2) return;
  try {
    thread_ = std::thread([this] { hash(); });
  } catch (const std::system_error&) {  // no thread is to be had: check() hashes
  }
}

StatedSum::~StatedSum() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
  if (buffers_) buffers_->give(std::move(bytes_));
}

void StatedSum::hash() {
  constexpr std::size_t step = std::size_t{1} << 20;  // below a ms
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (std::size_t at = 0; good && at < bytes_.size(); at += step) {
    if (stopped_) return;
    good = EVP_DigestUpdate(context.get(), bytes_.data() + at, std::min(step, bytes_.size() - at)) == 1;
  }
  if (!good || EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) return;
  for (unsigned i = 0; i < size; ++i) sum_ += fmt::format("{:02x}", digest[i]);
}

void StatedSum::check() {
  if (thread_.joinable()) thread_.join();
  if (sum_.empty()) hash();
  if (sum_.empty()) throw FrameError("OpenSSL can't compute a SHA-256");
  check_sum(name_, sum_, stated_);
}

}  // namespace datum
