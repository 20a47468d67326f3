#include <array>
#include <chrono>
#include <vector>

#include "gpu/core/cuda_support.cuh"
#include "gpu/model_distance/facet_tree.h"
#include "gpu/model_distance/model_distance_cuda.h"
#include "gpu/model_distance/model_distance_device.cuh"
#include "gpu/model_distance/model_distance_finish.h"

namespace datum {
namespace {

using namespace cuda;
using namespace model;

constexpr int threads = 128;
constexpr std::chrono::milliseconds timeout{2000};

/// Eight facets, each where it lies: a thread has a facet by six loads.
struct alignas(16) FacetBlock {
  Facet<float> facet[width];
  std::uint32_t number[width];
};
static_assert(sizeof(Facet<float>) == 6 * sizeof(float4) && sizeof(Node) == 12 * sizeof(float4),
              "loads of 16 bytes");

std::vector<FacetBlock> facet_blocks(const std::vector<Block>& blocks) {
  std::vector<FacetBlock> out(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::uint32_t k = 0; k < width; ++k) {
      float* const values = reinterpret_cast<float*>(&out[b].facet[k]);
      for (int i = 0; i < 24; ++i) values[i] = blocks[b].number[i][k];
      out[b].number[k] = blocks[b].facet[k];
    }
  return out;
}

/// What lies at 16-byte places, by as few loads.
template <int Count>
__device__ __forceinline__ void load(const void* from, float* out) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const float4 v = __ldg(static_cast<const float4*>(from) + i);
    out[4 * i] = v.x;
    out[4 * i + 1] = v.y;
    out[4 * i + 2] = v.z;
    out[4 * i + 3] = v.w;
  }
}

struct DeviceTree {
  const FacetBlock* blocks;
  const Node* nodes;
  const Facet<float>* facets;
  const float (*normals)[7][3];
  const float (*cosines)[6];
  std::uint32_t facet_count;
  std::uint32_t first_node[most_levels];
  int levels;
  float farthest;
};

struct Query {
  DeviceTree tree;
  PointsToFind points;
  ModelDistance* out;
  float search, sharp_cosine;
};

struct Nearest {
  float square;
  std::uint32_t facet;
};

__device__ void look_in(const FacetBlock& block, const ModelPoint& p, Nearest* found) {
  for (std::uint32_t k = 0; k < width; ++k) {
    Facet<float> facet;
    load<6>(&block.facet[k], reinterpret_cast<float*>(&facet));
    const float square = square_of(facet, p.x, p.y, p.z);
    if (!(square <= found->square)) continue;
    const std::uint32_t number = __ldg(&block.number[k]);
    if (square < found->square || number < found->facet) *found = Nearest{square, number};
  }
}

struct Waiting {
  float square;
  std::uint32_t place;  // level * 2^28 + number in the level
};
constexpr std::uint32_t level_unit = 1u << 28;

/// A thread for each point.
__global__ void __launch_bounds__(threads) find_nearest(Query q) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= q.points.count) return;
  const ModelPoint p = q.points.points[i];
  ModelDistance out;
  const float farthest = farthest_of(p, q.tree.farthest);
  if (farthest <= largest_coordinate) {
    const float slack = slack_of(farthest);
    Nearest found{q.search * q.search, UINT32_MAX};
    const std::uint32_t near = q.points.near ? q.points.near[i] : UINT32_MAX;
    if (near < q.tree.facet_count) {
      const float square = square_of(q.tree.facets[near], p.x, p.y, p.z);
      if (square <= found.square) found = Nearest{square, near};
    }
    float reach = reach_of(found.square, slack);
    Waiting stack[most_levels * width];
    stack[0] = Waiting{0, static_cast<std::uint32_t>(q.tree.levels) * level_unit};
    for (int depth = 1; depth > 0;) {
      const Waiting next = stack[--depth];
      if (next.square > reach) continue;
      const std::uint32_t number = next.place % level_unit, level = next.place / level_unit;
      if (level == 0) {
        look_in(q.tree.blocks[number], p, &found);
        reach = reach_of(found.square, slack);
        continue;
      }
      float box[6][width];  // low x, y, z, high x, y, z
      load<12>(&q.tree.nodes[q.tree.first_node[level - 1] + number], &box[0][0]);
      const int base = depth;
#pragma unroll
      for (std::uint32_t k = 0; k < width; ++k) {
        const float low[3] = {box[0][k], box[1][k], box[2][k]};
        const float high[3] = {box[3][k], box[4][k], box[5][k]};
        const float square = square_from_box(low, high, p.x, p.y, p.z);
        if (!(square <= reach)) continue;
        int at = depth++;
        for (; at > base && stack[at - 1].square < square; --at) stack[at] = stack[at - 1];
        stack[at] = Waiting{square, (level - 1) * level_unit + number * width + k};
      }
    }
    if (found.facet != UINT32_MAX)
      out = distance_at(q.tree.facets[found.facet], q.tree.normals[found.facet], q.tree.cosines[found.facet],
                        found.facet, p.x, p.y, p.z, found.square, q.sharp_cosine);
  }
  q.out[i] = out;
}

}  // namespace

struct CudaModelSearch::State {
  Buffer<FacetBlock> blocks;
  Buffer<Node> nodes;
  Buffer<Facet<float>> facets;
  Buffer<std::array<std::array<float, 3>, 7>> normals;
  Buffer<std::array<float, 6>> cosines;
  DeviceTree tree{};
  Buffer<ModelPoint> points;
  Buffer<ModelDistance> out;
  std::uint32_t count = 0;
};

CudaModelSearch::CudaModelSearch(const TriangleModel& model) : state_(new State) {
  State& s = *state_;
  const FacetTree tree = facet_tree(model);
  std::vector<Facet<float>> facets;
  for (std::uint32_t i = 0; i < model.corner.size(); ++i) facets.push_back(facet_of(model, i));
  to_device(s.blocks, facet_blocks(tree.blocks), "blocks of a model");
  to_device(s.nodes, tree.nodes, "nodes of a model");
  to_device(s.facets, facets, "facets of a model");
  to_device(s.normals, model.normal, "normals of a model");
  to_device(s.cosines, model.cosine, "edges of a model");
  s.tree.blocks = s.blocks.get();
  s.tree.nodes = s.nodes.get();
  s.tree.facets = s.facets.get();
  s.tree.normals = reinterpret_cast<const float(*)[7][3]>(s.normals.get());
  s.tree.cosines = reinterpret_cast<const float(*)[6]>(s.cosines.get());
  for (int i = 0; i < most_levels; ++i) s.tree.first_node[i] = tree.first_node[i];
  s.tree.facet_count = static_cast<std::uint32_t>(facets.size());
  s.tree.levels = tree.levels;
  s.tree.farthest = tree.farthest;
}

CudaModelSearch::~CudaModelSearch() = default;

void CudaModelSearch::reserve(std::size_t count) {
  state_->points.reserve(std::max<std::size_t>(count, 1));
  state_->out.reserve(std::max<std::size_t>(count, 1));
}

void CudaModelSearch::upload(CudaStream stream, const ModelPoint* points, std::size_t count) {
  State& s = *state_;
  reserve(count);
  s.count = static_cast<std::uint32_t>(count);
  if (count == 0) return;
  cuda::check(cudaMemcpyAsync(s.points.get(), points, count * sizeof *points, cudaMemcpyHostToDevice, stream),
              "upload of points");
  cuda::wait(stream, timeout, "upload of points");
}

namespace {

void begin_search(CudaStream stream, const DeviceTree& tree, const PointsToFind& points,
                  const DistanceSettings& settings, ModelDistance* out) {
  model::check(settings);
  if (points.count == 0) return;
  find_nearest<<<(points.count + threads - 1) / threads, threads, 0, stream>>>(
      Query{tree, points, out, settings.search, settings.sharp_cosine});
  cuda::check(cudaGetLastError(), "launch of the search on a model");
}

}  // namespace

void CudaModelSearch::launch(CudaStream stream, const DistanceSettings& settings) {
  State& s = *state_;
  begin_search(stream, s.tree, {s.points.get(), nullptr, s.count}, settings, s.out.get());
}

void CudaModelSearch::launch(CudaStream stream, const PointsToFind& points, const DistanceSettings& settings,
                             ModelDistance* out) {
  begin_search(stream, state_->tree, points, settings, out);
}

const float (*CudaModelSearch::normals() const)[7][3] { return state_->tree.normals; }
std::uint32_t CudaModelSearch::facet_count() const { return state_->tree.facet_count; }

void CudaModelSearch::fetch(CudaStream stream, ModelDistance* out) {
  State& s = *state_;
  cuda::wait(stream, timeout, "search on a model");
  if (s.count > 0)
    cuda::check(cudaMemcpy(out, s.out.get(), s.count * sizeof *out, cudaMemcpyDeviceToHost), "distances");
}

namespace {

class CudaDeviceSearch final : public SearchOnDevice {
 public:
  explicit CudaDeviceSearch(const TriangleModel& model) : search_(model) {
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream of a search");
  }
  ~CudaDeviceSearch() override { cudaStreamDestroy(stream_); }
  void find(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
            ModelDistance* out) override {
    search_.upload(stream_, points, count);
    search_.launch(stream_, settings);
    search_.fetch(stream_, out);
  }
  const FacetNormals* normals() const override { return search_.normals(); }
  std::uint32_t facet_count() const override { return search_.facet_count(); }
  void begin(cudaStream_t stream, const PointsToFind& points, const DistanceSettings& settings,
             ModelDistance* out) override {
    search_.launch(stream, points, settings, out);
  }

 private:
  CudaModelSearch search_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceSearch> cuda_device_search(const TriangleModel& model) {
  return std::make_unique<CudaDeviceSearch>(model);
}

}  // namespace datum
