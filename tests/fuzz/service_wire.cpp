// Orders of services to the GPU process: all parts lie within the memory of the order.
#include "daemon/gpu_worker/service_wire.h"

#include <algorithm>
#include <cstring>

#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

/// The next number of the input; 0 at its end.
template <class T>
T next(std::string_view& bytes) {
  T value = 0;
  const std::size_t size = std::min(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), size);
  bytes.remove_prefix(size);
  return value;
}

void expect_within(const FringeOrder& order, std::uint64_t total) {
  const FringeLayout l = layout_of(order);
  const std::uint64_t images = std::uint64_t{order.pattern.periods} * order.pattern.steps;
  fuzz::expect(l.image(static_cast<std::uint32_t>(images) - 1) + l.image_bytes <= l.nodes,
               "images before nodes");
  fuzz::expect(l.nodes + l.node_bytes <= l.maps && l.maps <= total, "nodes before maps");
  const std::uint64_t pixels = std::uint64_t{order.width} * order.height;
  FringeMaps none;
  each_map(none, [&](auto* map, std::size_t i) {
    fuzz::expect(l.map[i] == 0 || (l.map[i] >= l.maps && l.map[i] + pixels * sizeof *map <= total),
                 "each map within the memory");
  });
}

}  // namespace

DATUM_FUZZ_TARGET(service_wire) {
  ServiceRequest order;
  order.what = static_cast<ServiceRequest::What>(next<std::uint8_t>(bytes) %
                                                 (service_kinds + 1));  // and an unknown one
  order.count = next<std::uint64_t>(bytes);
  order.grid = {next<std::uint32_t>(bytes), next<std::uint32_t>(bytes), next<std::uint32_t>(bytes)};
  FringeOrder& f = order.fringes;
  f.type = next<std::uint8_t>(bytes) % 2 == 0 ? SampleType::u8 : SampleType::u16;
  f.width = next<std::uint32_t>(bytes);
  f.height = next<std::uint32_t>(bytes);
  f.wanted = next<std::uint32_t>(bytes);
  f.pattern.periods = next<std::uint32_t>(bytes);
  f.pattern.steps = next<std::uint32_t>(bytes);
  f.model.columns = next<std::uint32_t>(bytes);
  f.model.rows = next<std::uint32_t>(bytes);
  const std::uint64_t needed = bytes_of(order);
  fuzz::expect(needed < std::uint64_t{1} << 40, "an order of a size that a computer may have");
  if (needed > 0 && order.what == ServiceRequest::What::fringes) expect_within(f, needed);

  ServiceReply answer;
  std::memcpy(answer.text, bytes.data(), std::min(bytes.size(), sizeof answer.text));
  fuzz::expect(get_text(answer.text).size() <= sizeof answer.text, "a text within its array");
}
