// A model's surface as triangles, made ready for distances: degenerate facets taken out, edges and corners given the
// normals that decide on which side a point lies (Baerentzen and Aanaes, "Signed distance computation using the angle
// weighted pseudonormal", IEEE TVCG 11, 2005). Coordinates and lengths are in one unit of the caller's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace datum {

/// Index of no facet.
inline constexpr std::uint32_t no_facet = 0xFFFFFFFF;

/// Corners count anticlockwise, seen from outside.
struct RawModel {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> facets;
};

/// What a model's file left to be desired.
struct ModelFaults {
  std::size_t degenerate = 0;      // facets without a normal, taken out
  std::size_t open_edges = 0;      // of one facet: the model is no closed surface there
  std::size_t branched_edges = 0;  // of more than two
  std::size_t turned_edges =
      0;  // of two facets whose corners count in opposite senses: one normal is inverted
};

/// Where on its facet a point's nearest place is.
enum class Place : std::uint8_t { face, edge_ab, edge_bc, edge_ca, corner_a, corner_b, corner_c };

/// Corners of a facet, normals (of length 1) of its three edges ab, bc, ca and of its corners.
struct TriangleModel {
  std::array<double, 3> origin{};  // taken from all coordinates: the middle of the model's box
  std::vector<std::array<std::array<float, 3>, 3>> corner;
  std::vector<std::array<std::array<float, 3>, 7>> normal;  // by Place
  /// How far the surface turns there, of edges ab, bc, ca and corners a, b, c: cosine between the two facets' normals, of a
  /// corner the least of its edges' and of twice a facet's angle to the corner's normal (a cone's tip); -2: an open edge.
  std::vector<std::array<float, 6>> cosine;
  std::vector<std::uint32_t> facet;  // number in the raw model
  ModelFaults faults;
};

/// Throws std::invalid_argument for a facet whose corner does not exist and a coordinate that is not finite.
void check_corners(const RawModel& raw);

/// Vertices at the same place are one. Throws std::invalid_argument for a facet whose corner does not exist, a
/// coordinate that is not finite, more than 2^31 facets or a model without any facet.
TriangleModel triangle_model(const RawModel& raw);

}  // namespace datum
