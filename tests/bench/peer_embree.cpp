#include "tests/bench/peer_embree.h"

#include <embree3/rtcore.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "gpu/core/parallel_for.h"

namespace datum::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Vector {
  float x, y, z;
};
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator*(float s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Ericson, Real-Time Collision Detection, 5.1.5.
Vector closest(Vector p, Vector a, Vector b, Vector c) {
  const Vector ab = b - a, ac = c - a, ap = p - a;
  const float d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vector bp = p - b;
  const float d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + (d1 / (d1 - d3)) * ab;
  const Vector cp = p - c;
  const float d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + (d2 / (d2 - d6)) * ac;
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b);
  const float per = 1 / (va + vb + vc);
  return a + (vb * per) * ab + (vc * per) * ac;
}

struct Search {
  const TriangleModel* model;
  float least;
};

bool look(RTCPointQueryFunctionArguments* call) {
  auto* search = static_cast<Search*>(call->userPtr);
  const auto& c = search->model->corner[call->primID];
  const Vector p{call->query->x, call->query->y, call->query->z};
  const Vector q =
      closest(p, {c[0][0], c[0][1], c[0][2]}, {c[1][0], c[1][1], c[1][2]}, {c[2][0], c[2][1], c[2][2]});
  const float d = std::sqrt(dot(p - q, p - q));
  if (d >= search->least) return false;
  search->least = call->query->radius = d;
  return true;
}

}  // namespace

EmbreeResult embree_distances(const TriangleModel& model, const std::vector<ModelPoint>& points,
                              unsigned threads) {
  EmbreeResult result;
  const auto begin = Clock::now();
  const std::string options = "threads=" + std::to_string(threads);
  const RTCDevice device = rtcNewDevice(options.c_str());
  const RTCScene scene = rtcNewScene(device);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const std::size_t n = model.corner.size();
  auto* vertices = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, 3 * n));
  auto* facets = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) vertices[9 * i + 3 * k + axis] = model.corner[i][k][axis];
      facets[3 * i + k] = static_cast<unsigned>(3 * i + k);
    }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene);
  result.build_s = seconds_since(begin);
  result.distance.resize(points.size());
  const auto asked = Clock::now();
  constexpr std::size_t run = 1024;
  parallel_for(threads, (points.size() + run - 1) / run, [&](std::size_t at, unsigned) {
    for (std::size_t i = at * run; i < std::min(points.size(), (at + 1) * run); ++i) {
      RTCPointQuery query{};
      query.x = points[i].x;
      query.y = points[i].y;
      query.z = points[i].z;
      query.radius = std::numeric_limits<float>::infinity();
      RTCPointQueryContext context;
      rtcInitPointQueryContext(&context);
      Search search{&model, query.radius};
      rtcPointQuery(scene, &query, &context, look, &search);
      result.distance[i] = search.least;
    }
  });
  result.query_s = seconds_since(asked);
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  return result;
}

}  // namespace datum::bench
