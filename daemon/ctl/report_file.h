// Files of reports.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

/// Writes an HTML document as .html, or as .pdf by printing it with Chromium. The file appears whole or not at all. Throws
/// std::invalid_argument for another ending, std::runtime_error: no Chromium, or the file can't be written.
void write_report(const std::filesystem::path& file, const std::string& document);

}  // namespace datum
