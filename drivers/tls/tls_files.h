// PEM files of TLS: certificates, keys, revocation lists. Internal to this folder.
#pragma once

#include <filesystem>
#include <vector>

#include "drivers/tls/openssl_handles.h"
#include "drivers/tls/secret_file.h"

namespace datum {

/// At least one certificate. Throws RefusedError that names the file, also for a damaged certificate behind
/// the first.
std::vector<CertificateHandle> certificates_in(const std::filesystem::path& file);
std::vector<CrlHandle> revocations_in(const std::filesystem::path& file);
/// Throws RefusedError for a key that needs a password, or that others than its owner may read (a service
/// manager's credential is readable by its service alone, whatever its mode).
KeyHandle private_key_in(const std::filesystem::path& file);

}  // namespace datum
