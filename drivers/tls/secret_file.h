// Files with a secret: private keys, passwords. Others must not be able to read them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace datum {

/// Path of "%d/NAME" in $CREDENTIALS_DIRECTORY, which the service manager sets (systemd.exec(5),
/// LoadCredential=). Any other path unchanged. None: there is no such directory.
std::optional<std::filesystem::path> credential_path(const std::filesystem::path& path);

/// A regular file's bytes, at most 16 MiB. Throws RefusedError that names the file.
std::string file_text(const std::filesystem::path& file);
/// The same of a `kind` of secret ("password"). Throws RefusedError where others than the file's owner may read it (a service
/// manager's credential is readable by its service alone, whatever its mode).
std::string secret_text(const std::filesystem::path& file, const char* kind);

/// credential_path() of a file that is needed. Throws RefusedError where there is no such directory.
std::filesystem::path credential(const std::filesystem::path& file);
/// First line of a file or credential. Throws RefusedError where it can't be read, is empty, or is open to others.
std::string password_in(const std::filesystem::path& file);

}  // namespace datum
