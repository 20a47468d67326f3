// What a host is told where the file system refuses.
#pragma once

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "daemon/instrument/scpi_error.h"

namespace datum {

/// `remedy`: where datumd may not write.
inline scpi::Error file_refusal(const std::system_error& error, const std::string& remedy) {
  switch (error.code().value()) {
    case EACCES:
    case EPERM:
    case EROFS:
      return scpi::Error(scpi::media_protected, std::string(error.what()) + "; " + remedy);
    case ENOSPC:
    case EDQUOT:
      return scpi::Error(scpi::media_full, error.what());
    default:
      return scpi::Error(scpi::mass_storage_error, error.what());
  }
}

/// Why `act` is refused; none: it is done.
template <class Act>
std::optional<scpi::Error> refusal_of_files(const Act& act, const std::string& remedy) {
  try {
    act();
  } catch (const scpi::Error& error) {
    return error;
  } catch (const std::system_error& error) {
    return file_refusal(error, remedy);
  } catch (const std::exception& error) {
    return scpi::Error(scpi::system_error, error.what());
  }
  return std::nullopt;
}

}  // namespace datum
