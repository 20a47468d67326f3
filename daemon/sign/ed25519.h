// Ed25519 signatures (RFC 8032) by OpenSSL. Keys and signatures are lower-case hex: 64 digits for a public key, 128 for a
// signature.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace datum {

/// The file of a key can't be used; what() gives the file, the fault and the remedy.
class KeyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SigningKey {
 public:
  /// Reads PEM, PKCS #8, as of `openssl genpkey -algorithm ed25519`. The file must be regular, without access for other
  /// accounts. Only root's group may read it, since an access list of systemd appears as that. Throws KeyError.
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

/// A fresh private key in PEM, PKCS #8.
std::string new_private_key();

/// True: the private key of `public_key` signed exactly these bytes. False also for an invalid key or signature.
bool is_signed_by(const std::string& public_key, std::string_view bytes, const std::string& signature);

/// Reads a PEM file as of `openssl pkey -pubout`. Throws KeyError.
std::string public_key_of(const std::filesystem::path& file);
/// The public key as PEM. Throws KeyError for invalid digits.
std::string pem_of(const std::string& public_key);

}  // namespace datum
