#include "drivers/sensor/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/delivered_file.h"

namespace datum {

namespace {

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", path.string(), what));
}

Bytes bytes_of(const DeliveredFile& file) {
  Bytes bytes(static_cast<std::size_t>(file.size()));
  file.read(0, bytes.data(), bytes.size());
  return bytes;
}

/// Opens the parent folder of `file`, component by component, without following symbolic links.
Descriptor open_parent_below(const std::filesystem::path& folder, const std::filesystem::path& file) {
  const auto open_step = [&](int at, const std::filesystem::path& part, int flags) {
    const int fd = ::openat(at, part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0) refuse_file(folder / file, fmt::format("can't be opened: {}", std::strerror(errno)));
    return fd;
  };
  auto at = std::make_unique<Descriptor>(open_step(AT_FDCWD, folder.empty() ? "." : folder, 0));
  for (const auto& part : file.parent_path())
    at = std::make_unique<Descriptor>(open_step(at->get(), part, O_NOFOLLOW));
  return std::move(*at);
}

}  // namespace

Bytes read_bytes(const std::filesystem::path& path, std::size_t max_size) {
  return bytes_of(DeliveredFile(path, max_size));
}

std::filesystem::path link_followed(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

Bytes read_bytes_below(const std::filesystem::path& folder, const std::filesystem::path& file,
                       std::size_t max_size) {
  const std::filesystem::path path = folder / file;
  if (!stays_below(file)) refuse_file(path, fmt::format("is not below {}; bring it there", folder.string()));
  const Descriptor parent = open_parent_below(folder, file);
  Descriptor opened(
      ::openat(parent.get(), file.filename().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (opened.get() < 0 && errno == ELOOP) refuse_file(path, "is a link; bring the file itself");
  if (opened.get() < 0) refuse_file(path, fmt::format("can't be opened: {}", std::strerror(errno)));
  return bytes_of(DeliveredFile(std::move(opened), path, max_size));
}

std::string sha256_hex(const std::vector<ByteView>& parts) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const ByteView part : parts)
    good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  good = good && EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1;
  if (!good) throw FrameError("OpenSSL can't compute a SHA-256");
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace datum
