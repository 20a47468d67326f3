// Protocol between datumd and datumd-gpu for services beside a board's measurement; see gpu_wire.h for boards.
//
//   daemon -> worker   ServiceRequest::model, with a memory     TriangleModel as consecutive arrays
//   daemon -> worker   ServiceRequest::points                   points, then space for their distances
//   daemon -> worker   ServiceRequest::diffusion                counts, then space for the diffused counts
//   daemon -> worker   ServiceRequest::fringes                  images, the height model's nodes, then space for the maps
//   daemon -> worker   ServiceRequest::facets                   ModelFacets as consecutive arrays
//   daemon -> worker   ServiceRequest::scan                     space for what matches each facet, or for sums, then a scan's arrays
//   daemon -> worker   ServiceRequest::patches                  AreaModel as consecutive arrays
//   daemon -> worker   ServiceRequest::areas                    points and distances, then space for marks and areas
//   daemon -> worker   ServiceRequest::rays                     the rays of a part's snapshots, after its model and patches
//   daemon -> worker   ServiceRequest::compare                  space for judged points, marks and areas, then snapshots with those rays
//   daemon -> worker   ServiceRequest::sums                     space for sums, then directions; of the points that were compared last
//   daemon -> worker   ServiceRequest::system                   a matrix, then space for its factors, inverse and pivots
//   daemon -> worker   ServiceRequest::single_shot              an image of fringes, then space for classes, phases and modulations
//   daemon -> worker   ServiceRequest::correlation              a reference, then an image
//   worker -> daemon   ServiceReply                             done, or a text that gives the fault
//
// One order at a time. A memory comes with the first order of its kind and with one that needs a larger one.
#pragma once

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_block.h"
#include "gpu/area_share/area_share.h"
#include "gpu/diffusion/diffusion.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"
#include "gpu/fringe_phase/fringe_phase.h"
#include "gpu/lu/system_inverter.h"
#include "gpu/model_distance/distance_finder.h"
#include "gpu/phase_correlation/correlator.h"
#include "gpu/surface_compare/surface_comparer.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {

constexpr std::size_t map_count = 8;  // number of maps in FringeMaps

/// A set of raw images to be demodulated, without its pointers.
struct FringeOrder {
  FringePattern pattern;
  FringeLimits limits;
  SampleType type = SampleType::u8;
  std::uint32_t width = 0, height = 0;
  std::uint32_t wanted = 0;  // bit i: the i-th map of FringeMaps
  HeightModel model;         // without nodes; cell_px = 0: none
};

/// A scan to be matched, without its pointers.
struct ScanOrder {
  ScanMatchSettings settings;
  std::uint64_t points = 0, views = 0, facets = 0;
  std::uint32_t by_points = 1, by_surface = 1;  // 0: not wanted
  std::uint32_t regions = 0;  // above 0: of each of the model's regions, so many, the sums in place of lists
};

/// Lengths of a model's patches' lists.
struct AreaOrder {
  std::uint64_t reaches = 0, facets = 0;
  std::uint64_t told = 0;  // facets whose regions are told: all or none
  std::uint64_t cuts[most_reaches] = {}, patches[most_reaches] = {}, near[most_reaches] = {};
  bool operator==(const AreaOrder& o) const;
};

/// A part's snapshots, without their pointers.
struct CompareOrder {
  CompareSettings settings;
  std::uint64_t shots = 0, pixels = 0, rows = 0;  // of all snapshots together
  CountType type = CountType::int16;
};

/// A single image of fringes, without its pointers.
struct SingleShotOrder {
  FourierSettings settings;
  SampleType type = SampleType::u8;
  std::uint32_t width = 0, height = 0;
  std::uint32_t modulation = 0;  // 0: not wanted
};

/// A reference and an image to be correlated, without their pointers.
struct CorrelationOrder {
  CorrelationSettings settings;
  std::uint32_t cols = 0, rows = 0;
};

struct ServiceRequest {
  enum class What : std::uint32_t {
    model,
    points,
    diffusion,
    fringes,
    facets,
    scan,
    system,
    patches,
    areas,
    single_shot,
    correlation,
    rays,
    compare,
    sums
  };
  What what = What::model;
  std::uint32_t number = 0;
  std::uint64_t count = 0;  // facets or points; of a scan: the model's facets; of a system: its rows
  std::uint64_t bytes = 0;  // size of the memory sent with the order; 0: the last one of its kind
  DistanceSettings distance;
  DiffusionGrid grid;
  DiffusionSettings diffusion;
  FringeOrder fringes;
  float farthest = 0;         // ModelFacets::farthest
  std::uint32_t regions = 0;  // of ModelFacets; 0: none
  ScanOrder scan;
  AreaOrder area;
  CompareOrder compare;
  double origin[3] = {};  // MatchOfPoints::origin
  SingleShotOrder single_shot;
  CorrelationOrder correlation;
};
constexpr std::size_t service_kinds = 14;
static_assert(sizeof(ServiceRequest) != sizeof(PrepareOrder) && sizeof(ServiceRequest) != 1,
              "orders are told apart by their size");

struct ServiceReply : WireReply {
  DiffusionRecord diffusion;
  std::int32_t info = 0;  // of a system: invert_system's
  CorrelationShift shift;
};

constexpr std::uint64_t most_points_at_once = std::uint64_t{1} << 22;
constexpr std::uint64_t most_model_facets = std::uint64_t{1} << 31;
constexpr std::uint64_t most_matched_facets = std::uint64_t{1} << 24;  // of a model
constexpr std::uint32_t most_regions = 1u << 16;
constexpr std::uint64_t most_compared_shots = 64, most_compared_pixels = std::uint64_t{1} << 26;
/// Of the planes of a model's facets as a part's snapshots see them, on the device.
constexpr std::uint64_t most_plane_bytes = std::uint64_t{1} << 29;
constexpr std::uint64_t most_listed = std::uint64_t{1} << 31;  // patches, cuts, and neighbours of a reach
constexpr std::uint64_t most_service_counts = std::uint64_t{1} << 30;

/// Where an array of an order's memory begins that does not begin before.
inline std::uint64_t aligned_up(std::uint64_t bytes) { return round_up(bytes, 64); }
inline std::uint64_t bytes_of_count(CountType type) { return type == CountType::int16 ? 2 : 4; }

/// Memory size of an order in bytes; 0: an invalid order, or one above the limits.
std::uint64_t bytes_of(const ServiceRequest& order);

void put_model(const TriangleModel& model, std::byte* to);
TriangleModel get_model(const std::byte* from, std::uint64_t facets);

/// Bytes: facets, then their order, then what their regions are made of.
void put_facets(const ModelFacets& facets, std::byte* to);
/// Throws GpuError for an order that names others.
ModelFacets get_facets(const std::byte* from, const ServiceRequest& order);

/// Layout of a scan in the memory of its order, in bytes from its begin: what is found first, so that it lies where the last scan's
/// of the same model did; what is not wanted takes none.
struct ScanLayout {
  std::uint64_t by_points = 0, by_surface = 0, points = 0, view = 0, directions = 0, facets = 0, total = 0;
};
ScanLayout layout_of(const ScanOrder& order, std::uint64_t model_facets);

AreaOrder order_of(const AreaModel& model);
void put_areas(const AreaModel& model, std::byte* to);
/// Throws std::invalid_argument as check(AreaModel).
AreaModel get_areas(const std::byte* from, const AreaOrder& order);

/// Layout of points to be shared among, in the memory of their order, in bytes from its begin.
struct AreaLayout {
  std::uint64_t distances = 0, areas = 0, marks[most_reaches] = {}, total = 0;
};
AreaLayout layout_of(const AreaOrder& order, std::uint64_t points);
/// The points and the space for their shares there.
JudgedPoints judged_in(std::byte* memory, const AreaOrder& order, std::uint64_t points);
AreaShares shares_in(std::byte* memory, const AreaOrder& order, std::uint64_t points);

/// Of a part's snapshots: all but the order's settings and the number of points.
CompareOrder order_of(const PartShots& part);
/// Layouts in the memories of their orders, in bytes from their begins. What is found comes first, so that it lies where the last
/// part's did.
struct RaysLayout {
  std::uint64_t facet = 0, z_mm = 0, is_away = 0, total = 0;
};
RaysLayout layout_of_rays(const CompareOrder& order);
struct CompareLayout {
  std::uint64_t judgements = 0, areas = 0, marks[most_reaches] = {}, heights = 0, first = 0, counts = 0,
                classes = 0, total = 0;
};
CompareLayout layout_of(const CompareOrder& order, const AreaOrder& area, std::uint64_t points);
ComparedPoints compared_in(std::byte* memory, const ServiceRequest& order);
/// Snapshots in the memory of their order, their arrays in it. Throws GpuError where they are not as many rows or pixels as it names.
std::vector<ShotRays> get_rays(const std::byte* memory, const CompareOrder& order);
std::vector<ShotHeights> get_heights(const std::byte* memory, const ServiceRequest& order,
                                     const std::vector<ShotRays>& rays);

/// Sums by the last comparison's points, and its snapshots' directions, in the memory of their order.
std::uint64_t sums_bytes(const ScanOrder& order);
FacetSums* sums_in(std::byte* memory);
PointDirection* directions_in(std::byte* memory, const ScanOrder& order);

/// A system in the memory of its order.
SystemToInvert system_in(std::byte* memory, std::uint64_t rows);

/// Layout of a set in the memory of its order, in bytes from its begin.
struct FringeLayout {
  std::uint64_t image_bytes = 0;  // per image; the images are consecutive from `image(0)` on
  std::uint64_t image_pitch = 0;
  std::uint64_t nodes = 0, node_bytes = 0;
  std::uint64_t maps = 0, map[map_count] = {};  // 0: not requested
  std::uint64_t total = 0;

  std::uint64_t image(std::uint32_t i) const { return i * image_pitch; }
};
FringeLayout layout_of(const FringeOrder& order);
FringeOrder order_of(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                     const HeightModel* model, FringeMaps maps);

/// The image and the space for its maps in the memory of their order.
FourierImage single_shot_in(std::byte* memory, const SingleShotOrder& order);
FourierMaps single_shot_maps_in(std::byte* memory, const SingleShotOrder& order);
SingleShotOrder order_of(const FourierProfilometry& profilometry, const FourierImage& image,
                         const FourierMaps& maps);

/// A reference and its image in the memory of their order.
CorrelationImages images_in(std::byte* memory, const CorrelationOrder& order);

/// Calls visit(map, i) for each map, in the order of FringeOrder::wanted.
template <class Visit>
void each_map(FringeMaps& maps, const Visit& visit) {
  visit(maps.classes, 0);
  visit(maps.column_px, 1);
  visit(maps.sigma_px, 2);
  visit(maps.modulation, 3);
  visit(maps.mean, 4);
  visit(maps.residual, 5);
  visit(maps.height, 6);
  visit(maps.height_sigma_um, 7);
}

}  // namespace datum
