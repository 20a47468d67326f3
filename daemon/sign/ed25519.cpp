#include "daemon/sign/ed25519.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "daemon/sign/hex.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_key_bytes = 4096, key_bytes = 32, signature_bytes = 64;
using Pkey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

enum class Readers { owner_only, anybody };

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw KeyError(fmt::format("{}: {}", file.string(), what));
}

void demand_private(const fs::path& file, const struct stat& is) {
  constexpr mode_t of_others = S_IRWXO | S_IWGRP, of_group = S_IRWXG;
  if ((is.st_mode & of_others) == 0 && ((is.st_mode & of_group) == 0 || is.st_gid == 0)) return;
  refuse(file,
         fmt::format("its mode is {:04o}: others may read or write the private key; allowed: the owner alone "
                     "(chmod 0400)",
                     is.st_mode & 07777u));
}

std::string key_text(const fs::path& file, Readers readers) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) refuse(file, fmt::format("can't be opened: {}", std::strerror(errno)));
  struct stat is {};
  std::string text(most_key_bytes + 1, '\0');
  const bool regular = ::fstat(fd, &is) == 0 && S_ISREG(is.st_mode);
  const ssize_t size = regular ? ::read(fd, text.data(), text.size()) : 0;
  ::close(fd);
  if (!regular) refuse(file, "is no regular file");
  if (readers == Readers::owner_only) demand_private(file, is);
  if (size < 0 || static_cast<std::size_t>(size) > most_key_bytes)
    refuse(file, fmt::format("has {} bytes; a key in PEM has fewer than {}", is.st_size, most_key_bytes));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// Without this callback OpenSSL would ask a terminal for a password.
int no_password(char*, int, int, void*) { return 0; }

std::string raw_public_key(const EVP_PKEY* key) {
  std::array<unsigned char, key_bytes> raw{};
  std::size_t size = raw.size();
  if (EVP_PKEY_id(key) != EVP_PKEY_ED25519 || EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1)
    return "";
  return hex_of(raw.data(), size);
}

Pkey key_of(const std::string& public_key) {
  const auto raw = bytes_of_hex(public_key);
  if (!raw || raw->size() != key_bytes) return {nullptr, EVP_PKEY_free};
  return {EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw->data(), raw->size()), EVP_PKEY_free};
}

}  // namespace

struct SigningKey::Key {
  Pkey pkey;
};

SigningKey::SigningKey(std::unique_ptr<Key> key)
    : key_(std::move(key)), public_key_(raw_public_key(key_->pkey.get())) {}
SigningKey::~SigningKey() = default;
SigningKey::SigningKey(SigningKey&&) noexcept = default;

SigningKey SigningKey::from_file(const fs::path& file) {
  std::string text = key_text(file, Readers::owner_only);
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  auto key = std::make_unique<Key>(
      Key{Pkey(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr), EVP_PKEY_free)});
  OPENSSL_cleanse(text.data(), text.size());
  if (!key->pkey || raw_public_key(key->pkey.get()).empty())
    refuse(file,
           "holds no Ed25519 private key in PEM without a password; 'openssl genpkey -algorithm ed25519' "
           "makes one");
  return SigningKey(std::move(key));
}

std::string SigningKey::sign(std::string_view bytes) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, signature_bytes> signature{};
  std::size_t size = signature.size();
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_->pkey.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, data, bytes.size()) != 1)
    throw std::runtime_error("OpenSSL makes no Ed25519 signature");
  return hex_of(signature.data(), size);
}

std::string new_private_key() {
  const Pkey key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  char* text = nullptr;
  if (!key || !bio ||
      PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    throw std::runtime_error("OpenSSL makes no Ed25519 key");
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

bool is_signed_by(const std::string& public_key, std::string_view bytes, const std::string& signature) {
  const auto raw = bytes_of_hex(signature);
  const Pkey key = key_of(public_key);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!raw || raw->size() != signature_bytes || !key || !context) return false;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), raw->data(), raw->size(), data, bytes.size()) == 1;
}

std::string public_key_of(const fs::path& file) {
  std::string text = key_text(file, Readers::anybody);
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  const Pkey key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  std::string raw = key ? raw_public_key(key.get()) : "";
  if (raw.empty())
    refuse(
        file,
        "holds no Ed25519 public key in PEM; 'openssl pkey -in KEY -pubout' and 'datumctl signature --key' "
        "write one");
  return raw;
}

std::string pem_of(const std::string& public_key) {
  const Pkey key = key_of(public_key);
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  char* text = nullptr;
  if (!key || !bio || PEM_write_bio_PUBKEY(bio.get(), key.get()) != 1)
    throw KeyError(fmt::format("'{}' is no Ed25519 public key; allowed: 64 hex digits", public_key));
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace datum
