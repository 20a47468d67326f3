#include "drivers/tls/tls_files.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "drivers/link_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw RefusedError(fmt::format("{}: {}", file.string(), why));
}

BioHandle bio_over(const std::string& text) {
  return BioHandle(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// All objects of one kind. `next` returns null at the end, and for a damaged object.
template <class Handle, class Next>
std::vector<Handle> all_in(const std::filesystem::path& file, const char* kind, Next next) {
  const std::string text = file_text(file);
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

}  // namespace

std::vector<CertificateHandle> certificates_in(const std::filesystem::path& file) {
  return all_in<CertificateHandle>(
      file, "certificate", [](BIO* bio) { return PEM_read_bio_X509(bio, nullptr, nullptr, nullptr); });
}

std::vector<CrlHandle> revocations_in(const std::filesystem::path& file) {
  return all_in<CrlHandle>(file, "list of revoked certificates",
                           [](BIO* bio) { return PEM_read_bio_X509_CRL(bio, nullptr, nullptr, nullptr); });
}

KeyHandle private_key_in(const std::filesystem::path& file) {
  std::string text = secret_text(file, "private key");
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
