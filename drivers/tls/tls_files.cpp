#include "drivers/tls/tls_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "drivers/link_error.h"

namespace datum {
namespace {

constexpr off_t most_bytes = 16 << 20;  // a revocation list may be long
constexpr const char* credential_mark = "%d/";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw RefusedError(fmt::format("{}: {}", file.string(), why));
}

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : path_(path),
        fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // does not block on a FIFO
    if (fd_ < 0 || fstat(fd_, &status_) != 0) refuse(path, std::strerror(errno));
    if (!S_ISREG(status_.st_mode)) refuse(path, "is no regular file");
    if (status_.st_size > most_bytes) refuse(path, "is longer than 16 MiB");
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const struct stat& status() const { return status_; }
  std::string text() const {
    std::string bytes(static_cast<std::size_t>(status_.st_size), '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
      const ssize_t n = ::read(fd_, bytes.data() + have, bytes.size() - have);
      if (n < 0) refuse(path_, std::strerror(errno));
      if (n == 0) break;
      have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
  }

 private:
  const std::filesystem::path& path_;
  int fd_;
  struct stat status_ {};
};

BioHandle bio_over(const std::string& text) {
  return BioHandle(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// All objects of one kind. `next` returns null at the end, and for a damaged object.
template <class Handle, class Next>
std::vector<Handle> all_in(const std::filesystem::path& file, const char* kind, Next next) {
  const std::string text = File(file).text();
  const BioHandle bio = bio_over(text);
  std::vector<Handle> all;
  ERR_clear_error();
  while (auto* one = next(bio.get())) all.emplace_back(one);
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!ended) refuse(file, fmt::format("{} {} is damaged", kind, all.size() + 1));
  if (all.empty()) refuse(file, fmt::format("has no {} (PEM: a text that begins with -----BEGIN)", kind));
  return all;
}

int no_password(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

bool is_credential(const std::filesystem::path& file) {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  return folder && file.parent_path() == std::filesystem::path(folder);
}

}  // namespace

std::optional<std::filesystem::path> credential_path(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (text.rfind(credential_mark, 0) != 0) return path;
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (!folder || !*folder) return std::nullopt;
  return std::filesystem::path(folder) / text.substr(std::strlen(credential_mark));
}

std::vector<CertificateHandle> certificates_in(const std::filesystem::path& file) {
  return all_in<CertificateHandle>(
      file, "certificate", [](BIO* bio) { return PEM_read_bio_X509(bio, nullptr, nullptr, nullptr); });
}

std::vector<CrlHandle> revocations_in(const std::filesystem::path& file) {
  return all_in<CrlHandle>(file, "list of revoked certificates",
                           [](BIO* bio) { return PEM_read_bio_X509_CRL(bio, nullptr, nullptr, nullptr); });
}

KeyHandle private_key_in(const std::filesystem::path& file) {
  const File opened(file);
  const uid_t owner = opened.status().st_uid, me = geteuid();
  const bool own = owner == me || owner == 0 || me == 0;  // root inspects a service's key
  if (!is_credential(file) && (!own || (opened.status().st_mode & (S_IRWXG | S_IRWXO)) != 0))
    refuse(
        file,
        fmt::format("this private key is open to others (owner {}, mode {:04o}); chown it to who uses it and "
                    "chmod 600, or hand it over by LoadCredential=",
                    owner, opened.status().st_mode & 07777u));
  std::string text = opened.text();
  bool asked = false;
  KeyHandle key(PEM_read_bio_PrivateKey(bio_over(text).get(), nullptr, no_password, &asked));
  OPENSSL_cleanse(text.data(), text.size());
  ERR_clear_error();
  if (asked)
    refuse(file,
           "this private key is encrypted, and no one can type its password; openssl pkey -in FILE -out "
           "OTHER takes it off");
  if (!key) refuse(file, "has no private key (PEM: -----BEGIN PRIVATE KEY-----)");
  return key;
}

}  // namespace datum
