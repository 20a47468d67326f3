#include "daemon/plant/plant_resend.h"

#include <fstream>

#include "daemon/store/chain_reader.h"
#include "daemon/system/durable_file.h"

namespace datum {
namespace {

std::filesystem::path request_in(const std::filesystem::path& state) { return state / "resend"; }

}  // namespace

void ask_to_resend(const std::filesystem::path& state, std::uint64_t link) {
  write_file_durably(request_in(state), std::to_string(link) + "\n");
}

std::optional<std::uint64_t> asked_to_resend(const std::filesystem::path& state) {
  std::uint64_t link = 0;
  if (std::ifstream in(request_in(state)); in >> link && link >= 1) return link;
  return std::nullopt;
}

void forget_resend(const std::filesystem::path& state) { std::filesystem::remove(request_in(state)); }

PlantPosition position_before(const std::filesystem::path& store, std::uint64_t link) {
  const ChainReader reader(store);
  const auto before = reader.place(link - 1);
  return before ? PlantPosition{reader.store_id(), *before, ""} : PlantPosition{};
}

}  // namespace datum
