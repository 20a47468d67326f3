// ODB++ jobs: an archive where the first byte is below 128, else files of a job behind lines "==NAME".
#include "daemon/design/odb.h"
#include "tests/fuzz/design_bytes.h"

DATUM_FUZZ_TARGET(design_odb) {
  using namespace datum::design;
  if (bytes.empty()) return;
  const bool archive = static_cast<unsigned char>(bytes[0]) < 128;
  bytes.remove_prefix(1);
  datum::fuzz::expect_design_or_refusal([&] {
    OdbLimits limits;
    limits.bytes = std::size_t{16} << 20;
    if (archive) return read_odb(odb_files_from_bytes(bytes, "fuzz", limits), "fuzz");
    OdbFiles files{{"matrix/matrix", ""}};
    while (!bytes.empty()) {
      const auto name_end = std::min(bytes.find('\n'), bytes.size());
      const std::string name(bytes.substr(0, name_end));
      bytes.remove_prefix(std::min(name_end + 1, bytes.size()));
      const auto end = std::min(bytes.find("\n=="), bytes.size());
      files[name.starts_with("==") ? name.substr(2) : name] = std::string(bytes.substr(0, end));
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return read_odb(files, "fuzz");
  });
}
