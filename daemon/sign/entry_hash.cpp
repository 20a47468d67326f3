#include "daemon/sign/entry_hash.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "daemon/sign/hex.h"

namespace datum {

struct EntryHash::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> md{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

EntryHash::EntryHash(std::string_view before) : context_(std::make_unique<Context>()) {
  if (!context_->md || EVP_DigestInit_ex(context_->md.get(), EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  field(before);
}
EntryHash::~EntryHash() = default;
EntryHash::EntryHash(EntryHash&&) noexcept = default;
EntryHash& EntryHash::operator=(EntryHash&&) noexcept = default;

EntryHash& EntryHash::add(std::string_view bytes) {
  EVP_DigestUpdate(context_->md.get(), bytes.data(), bytes.size());
  return *this;
}

EntryHash& EntryHash::field(std::string_view bytes) {
  return add(std::to_string(bytes.size())).add(":").add(bytes).add(",");
}

std::string EntryHash::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context_->md.get(), bytes.data(), &size);
  return hex_of(bytes.data(), size);
}

}  // namespace datum
