// TOML documents between the two processes.
#pragma once

#include "config/toml_document.h"
#include "config/toml_reader.h"
#include "daemon/parse/flat_bytes.h"

namespace datum {

void put_document(FlatWriter& to, const config::TomlNode& root);
/// Throws FlatError: no table, a kind that is none, nested deeper than TOML's bounds allow, keys that are not sorted or twice.
config::TomlNode take_document(FlatReader& from);

/// A refusal with its place; `name` stands for the file.
void put_refusal(FlatWriter& to, const config::ConfigError& error);
config::ConfigError take_refusal(FlatReader& from, const std::string& name);

}  // namespace datum
