// Ed25519 signatures (RFC 8032) by OpenSSL. Keys and signatures travel as lower-case hex: a public key is 64 digits, a
// signature 128.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace datum {

/// A key's file can't be used; what() names the file, what is wrong and what to do.
class KeyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SigningKey {
 public:
  /// PEM, PKCS #8, as `openssl genpkey -algorithm ed25519` writes it. The file must be a regular one that no other account can
  /// read or write; only root's group may read it, since an access list of systemd's shows as that. Throws KeyError.
  static SigningKey from_file(const std::filesystem::path& file);
  ~SigningKey();
  SigningKey(SigningKey&&) noexcept;

  const std::string& public_key() const { return public_key_; }
  std::string sign(std::string_view bytes) const;

 private:
  struct Key;
  explicit SigningKey(std::unique_ptr<Key> key);
  std::unique_ptr<Key> key_;
  std::string public_key_;
};

/// Whether the private key of `public_key` signed exactly these bytes. False for what is no key and no signature too.
bool is_signed_by(const std::string& public_key, std::string_view bytes, const std::string& signature);

/// Of a PEM file as `openssl pkey -pubout` writes it. Throws KeyError.
std::string public_key_of(const std::filesystem::path& file);
/// The same as PEM. Throws KeyError where the digits are no key.
std::string pem_of(const std::string& public_key);

}  // namespace datum
