#include "daemon/design/read_design.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "config/toml_reader.h"
#include "daemon/design/ipc2581.h"
#include "daemon/design/kicad_board.h"
#include "daemon/design/odb.h"

namespace datum::design {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  constexpr std::uintmax_t most = std::uintmax_t{512} << 20;
  std::error_code fault;
  const std::uintmax_t size = fs::file_size(path, fault);
  if (fault) throw DesignError(fmt::format("{}: {}", path.string(), fault.message()));
  if (size > most)
    throw DesignError(fmt::format("{}: {} bytes; at most {} are read", path.string(), size, most));
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw DesignError(path.string() + ": can't be read");
  return text;
}

bool is_archive(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("PK\x03\x04") || bytes.starts_with("\x1f\x9d") ||
         (bytes.size() > 262 && bytes.substr(257, 5) == "ustar");
}

std::string hash_of(const OdbFiles& files) {
  std::string sums;
  for (const auto& [path, text] : files) sums += config::sha256_hex(text) + "  " + path + "\n";
  return config::sha256_hex(sums);
}

}  // namespace

ReadDesign load_design(const fs::path& path, const CentroidOptions& options) {
  const std::string name = path.string();
  ReadDesign read;
  if (fs::is_directory(path)) {
    const OdbFiles files = load_odb_files(path);
    return {read_odb(files, name), hash_of(files)};
  }
  const std::string text = slurp(path);
  read.sha256 = config::sha256_hex(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n", text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (first == text.npos) throw DesignError(name + ": is empty");
  if (!options.dialect.empty())
    read.design = read_centroid(text, name, options);
  else if (is_archive(text))
    read.design = read_odb(odb_files_from_bytes(text, name), name);
  else if (text[first] == '<')
    read.design = read_ipc2581(text, name);
  else if (text[first] == '(' || path.extension() == ".kicad_pcb")
    read.design = read_kicad_board(text, name);
  else
    read.design = read_centroid(text, name, options);
  if (read.design.name.empty()) read.design.name = path.stem().string();
  return read;
}

}  // namespace datum::design
