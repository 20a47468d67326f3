// PEM files of TLS: certificates, keys, revocation lists. Internal to this folder, except credential_path().
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/tls/openssl_handles.h"

namespace datum {

/// Path of "%d/NAME" in $CREDENTIALS_DIRECTORY, which the service manager sets (systemd.exec(5),
/// LoadCredential=). Any other path unchanged. None: there is no such directory.
std::optional<std::filesystem::path> credential_path(const std::filesystem::path& path);

/// At least one certificate. Throws RefusedError that names the file, also for a damaged certificate behind
/// the first.
std::vector<CertificateHandle> certificates_in(const std::filesystem::path& file);
std::vector<CrlHandle> revocations_in(const std::filesystem::path& file);
/// Throws RefusedError for a key that needs a password, or that others than its owner may read (a service
/// manager's credential is readable by its service alone, whatever its mode).
KeyHandle private_key_in(const std::filesystem::path& file);

}  // namespace datum
