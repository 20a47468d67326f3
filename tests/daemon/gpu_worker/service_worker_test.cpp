// The worker's side of the services: the memory of its orders.
#include "daemon/gpu_worker/service_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "gpu/core/gpu_error.h"
#include "tests/gpu/area_scenes.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ServiceWorker, HoldsTheMemoryOfAServiceInPlaceUntilAnotherComes) {
  std::vector<std::string> events;
  {
    ServiceDevice device;
    device.diffuse = [&](std::int32_t*, const DiffusionGrid&, const DiffusionSettings&) {
      events.push_back("diffuse");
      return DiffusionRecord();
    };
    device.search = [](const TriangleModel&) { return std::unique_ptr<DeviceSearch>(); };
    device.page_lock = [&](std::byte* base, std::uint64_t bytes) {
      base[bytes - 1] = std::byte{1};  // mapped
      events.push_back("lock " + std::to_string(bytes));
      return std::shared_ptr<void>(base, [&events](void*) { events.push_back("unlock"); });
    };
    ServiceWorker worker(device);
    const auto serve = [&](ServiceRequest order, std::uint64_t bytes) {
      order.bytes = bytes;
      const SharedBlock memory = bytes > 0 ? SharedBlock::create(bytes) : SharedBlock();
      EXPECT_EQ(worker.serve(order, bytes > 0 ? ::dup(memory.fd()) : -1).status, WireStatus::done);
    };
    ServiceRequest order;
    order.count = 2;
    serve(order, bytes_of(order));  // a model: once
    order.what = ServiceRequest::What::diffusion;
    order.grid = {16, 16, 1};
    serve(order, 4096);
    serve(order, 0);  // the same memory
    serve(order, 8192);
  }
  EXPECT_THAT(events,
              ElementsAre("lock 4096", "diffuse", "diffuse", "unlock", "lock 8192", "diffuse", "unlock"));
}

TEST(ServiceWorker, RefusesOrdersThatTheirMemoryDoesNotHold) {
  ServiceWorker worker({[](const TriangleModel&) { return std::unique_ptr<DeviceSearch>(); },
                        {},
                        {},
                        [](const ModelFacets&) { return std::unique_ptr<DeviceMatch>(); },
                        {},
                        {},
                        {},
                        {},
                        {},
                        {}});
  const auto answer = [&worker](ServiceRequest order, std::uint64_t bytes) {
    order.bytes = bytes;
    const SharedBlock memory = SharedBlock::create(bytes);
    return std::string(worker.serve(order, ::dup(memory.fd())).text);
  };
  const char* const refusal = "does not hold what the order names";
  ServiceRequest order;
  order.count = 1000;
  const std::uint64_t of_a_thousand = bytes_of(order);
  EXPECT_THAT(answer(order, of_a_thousand - 1), HasSubstr(refusal));
  for (const std::uint64_t count : {std::uint64_t{0}, most_model_facets + 1}) {
    order.count = count;
    EXPECT_THAT(answer(order, of_a_thousand), HasSubstr(refusal)) << count;
  }
  order.what = ServiceRequest::What::points;
  order.count = 4;
  EXPECT_THAT(answer(order, bytes_of(order)), HasSubstr("before any model"));
  order.count = most_points_at_once + 1;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.what = ServiceRequest::What::diffusion;
  for (const DiffusionGrid grid :
       {DiffusionGrid{0, 4, 1}, {32, 32, 0}, {32, 32, 1}, {1u << 16, 1u << 16, 1u << 16}}) {
    order.grid = grid;
    EXPECT_THAT(answer(order, 8191), HasSubstr(refusal)) << grid.nx;
  }
  order.what = ServiceRequest::What::fringes;
  order.fringes = {{4, 3, {15, 16, 17}, 100, 1, 0}, {}, SampleType::u8, 64, 64, 3, {}};
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  order.fringes.pattern.steps = most_steps + 1;
  EXPECT_THAT(answer(order, 1 << 20), HasSubstr(refusal));
  order.what = ServiceRequest::What::facets;
  order.count = 8;
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  order.regions = 1;
  EXPECT_THAT(answer(order, 8 * sizeof(ModelFacet) + 8 * sizeof(std::uint32_t)), HasSubstr(refusal));
  order.regions = most_regions + 1;
  EXPECT_THAT(answer(order, 1 << 20), HasSubstr(refusal));
  order.regions = 0;
  order.count = most_matched_facets + 1;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.what = ServiceRequest::What::scan;
  order.count = 8;
  order.scan = {{}, 100, 1, 50};
  EXPECT_THAT(answer(order, bytes_of(order)), HasSubstr("before its model"));
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  order.scan.regions = most_regions + 1;
  EXPECT_THAT(answer(order, 1 << 20), HasSubstr(refusal));
  order.scan.regions = 0;
  order.scan.points = std::uint64_t{1} << 60;
  EXPECT_THAT(answer(order, 1 << 20), HasSubstr(refusal));
  order.what = ServiceRequest::What::system;
  order.count = 8;
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  order.count = most_system_rows + 1;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.what = ServiceRequest::What::single_shot;
  order.single_shot = {{}, SampleType::u16, 64, 64, 1};
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  order.single_shot.height = 0;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.what = ServiceRequest::What::correlation;
  order.correlation = {{}, 64, 64};
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  order.correlation.cols = order.correlation.rows = 1u << 31;
  EXPECT_THAT(answer(order, 1 << 20), HasSubstr(refusal));
  order = {};
  order.what = ServiceRequest::What::patches;
  const testing::AreaScene scene(10);
  order.count = 1;
  order.area = order_of(*scene.model);
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  EXPECT_THAT(answer(order, bytes_of(order)), HasSubstr("name what there is none of"));  // all is 0
  order.area.reaches = most_reaches + 1;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.area.reaches = 1;
  order.area.near[0] = std::uint64_t{1} << 40;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.what = ServiceRequest::What::areas;
  order.area = order_of(*scene.model);
  order.count = 10;
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  EXPECT_THAT(answer(order, bytes_of(order)), HasSubstr("before their patches"));
  order.count = most_points_at_once + 1;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.what = ServiceRequest::What::rays;
  order.compare.shots = 1;
  order.compare.pixels = 100;
  order.compare.rows = 10;
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  EXPECT_THAT(answer(order, bytes_of(order)), HasSubstr("before their model"));
  order.what = ServiceRequest::What::compare;
  order.count = 10;
  EXPECT_THAT(answer(order, bytes_of(order) - 1), HasSubstr(refusal));
  EXPECT_THAT(answer(order, bytes_of(order)), HasSubstr("before their rays"));
  order.compare.pixels = most_compared_pixels + 1;
  EXPECT_THAT(answer(order, 4096), HasSubstr(refusal));
  order.compare.pixels = 100;
  for (const std::uint64_t shots : {std::uint64_t{0}, most_compared_shots + 1}) {
    order.compare.shots = shots;
    EXPECT_THAT(answer(order, 1 << 20), HasSubstr(refusal)) << shots;
  }
  order.what = static_cast<ServiceRequest::What>(77);
  EXPECT_THAT(answer(order, 4096), HasSubstr("unknown kind"));
}

// What a memory says of its snapshots is not what its order says.
TEST(ServiceWorker, RefusesSnapshotsOfOtherSizes) {
  CompareOrder order;
  order.shots = 2;
  order.pixels = 24;
  order.rows = 8;
  std::vector<std::byte> memory(layout_of_rays(order).total);
  const auto put = [&](std::int32_t rows, std::int32_t cols, std::int32_t other_rows) {
    ShotRays shots[2];
    shots[0].rows = rows;
    shots[0].cols = shots[1].cols = cols;
    shots[1].rows = other_rows;
    std::memcpy(memory.data(), shots, sizeof shots);
  };
  put(3, 3, 5);
  const std::vector<ShotRays> rays = get_rays(memory.data(), order);
  EXPECT_EQ(rays[1].is_away - rays[0].is_away, 9);
  for (const auto& [rows, cols, other_rows] :
       {std::array{3, 3, 4}, {3, 3, 6}, {-3, 3, 5}, {3, -3, 5}, {1 << 30, 1 << 30, 5}}) {
    put(rows, cols, other_rows);
    EXPECT_THROW(get_rays(memory.data(), order), GpuError) << rows << " " << cols << " " << other_rows;
  }
  ServiceRequest request;
  request.compare = order;
  memory.resize(layout_of(order, {}, 0).total);
  EXPECT_EQ(get_heights(memory.data(), request, rays).size(), 2u);
  EXPECT_THROW(get_heights(memory.data(), request, {rays[0]}), GpuError);
  request.compare.rows = 9;
  memory.resize(layout_of(request.compare, {}, 0).total);
  EXPECT_THROW(get_heights(memory.data(), request, rays), GpuError);
}

}  // namespace
}  // namespace datum
