// Result stores with changed bytes: results and their chain are read, or refused. Three bytes of offset, one of content,
// repeated.
#include <fstream>

#include "daemon/store/chain_check.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;
namespace fs = std::filesystem;

namespace {

struct Repository {
  datum::testing::FreshFolder folder;
  std::string sound;  // bytes of a small valid store

  Repository() {
    {
      ResultStore store(folder / "sound.db", {"2026-11-21T07:18:17Z", {}});
      for (int n = 1; n <= 8; ++n) {
        BoardVerdict verdict = datum::testing::board(n);
        store.store(verdict);
      }
      store.remove_oldest({3, "", 32, "older than 365 days", "2026-11-21T07:20:00Z"});
    }
    std::ifstream in(folder / "sound.db", std::ios::binary);
    sound.assign(std::istreambuf_iterator<char>(in), {});
  }

  fs::path changed(std::string_view places) const {
    std::string bytes = sound;
    for (; places.size() >= 4; places.remove_prefix(4)) {
      const auto at = [&](int i) { return std::size_t{static_cast<unsigned char>(places[i])}; };
      bytes[(at(0) << 16 | at(1) << 8 | at(2)) % bytes.size()] = places[3];
    }
    const fs::path file = folder / "changed.db";
    for (const char* beside : {"-wal", "-shm"}) fs::remove(file.string() + beside);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    return file;
  }
};

template <class Read>
void values_or_refusal(Read read) {
  try {
    read();
  } catch (const StoreError& refused) {
    fuzz::expect(*refused.what() != 0, "a refusal has its reason");
  }
}

}  // namespace

DATUM_FUZZ_TARGET(store_file) {
  static const Repository repository;
  const fs::path file = repository.changed(bytes);
  values_or_refusal([&] {
    const ChainReport report = check_chain(file);
    fuzz::expect(report.first_faults.size() <= ChainReport::most_told, "few faults are told");
  });
  values_or_refusal([&] {
    ResultStore store = ResultStore::read_only(file);
    for (const StoredResult& result : store.list({}, 100)) values_or_refusal([&] { result.verdict(); });
    store.latest();
    store.head();
  });
  try {
    Removal removal;
    if (from_statement(std::string(bytes), removal)) words_of(to_statement(removal));
  } catch (const std::runtime_error&) {
  }
}
