// [signatures]: signer of the chain of results, and the period of its signatures.
#pragma once

#include "config/toml_reader.h"
#include "daemon/store/signing_settings.h"

namespace datum::config {

/// Throws ConfigError.
SigningSettings read_signatures(TomlTable table);

}  // namespace datum::config
