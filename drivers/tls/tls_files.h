// PEM files of TLS: certificates, keys, lists of revoked certificates. Not for use outside this folder, but for
// credential_path().
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/tls/openssl_handles.h"

namespace datum {

/// Where "%d/NAME" lies: in $CREDENTIALS_DIRECTORY, which the service manager sets (systemd.exec(5), LoadCredential=). Any
/// other path as it is. None: there is no such directory.
std::optional<std::filesystem::path> credential_path(const std::filesystem::path& path);

/// At least one. Throws RefusedError that names the file, also where a certificate behind the first is damaged.
std::vector<CertificateHandle> certificates_in(const std::filesystem::path& file);
std::vector<CrlHandle> revocations_in(const std::filesystem::path& file);
/// Throws RefusedError where the file is a password's to open, or where others than its owner may read it (a credential of
/// the service manager is its reader's alone, whatever its mode says).
KeyHandle private_key_in(const std::filesystem::path& file);

}  // namespace datum
