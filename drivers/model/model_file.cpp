#include "drivers/model/model_file.h"

#include <fmt/format.h>

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>

#include <cmath>

#include "drivers/model/model_announced.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw ModelError(name + ": " + what);
}

class Gatherer {
 public:
  Gatherer(ModelFile& model, double mm_per_unit) : model_(model), mm_per_unit_(mm_per_unit) {}

  void take(const aiMesh& mesh) {
    const auto first = static_cast<std::uint32_t>(model_.vertices_mm.size());
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) take_vertex(mesh.mVertices[i]);
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) take_facet(mesh, mesh.mFaces[i], first);
  }

 private:
  void take_vertex(const aiVector3D& v) {
    if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z))
      refuse(model_.name, fmt::format("vertex {} has a coordinate that is not a number; export it again",
                                      model_.vertices_mm.size()));
    const std::array<double, 3> at{v.x * mm_per_unit_, v.y * mm_per_unit_, v.z * mm_per_unit_};
    for (const double c : at) model_.rounding_mm = std::max(model_.rounding_mm, std::fabs(c) * 0x1p-24);
    model_.vertices_mm.push_back(at);
  }

  void take_facet(const aiMesh& mesh, const aiFace& face, std::uint32_t first) {
    if (face.mNumIndices != 3)
      refuse(model_.name, fmt::format("facet {} has {} corners; export it with triangles only",
                                      model_.facets.size(), face.mNumIndices));
    for (int k = 0; k < 3; ++k)
      if (face.mIndices[k] >= mesh.mNumVertices)
        refuse(model_.name, fmt::format("facet {} names vertex {} of {}; it is damaged, export it again",
                                        model_.facets.size(), face.mIndices[k], mesh.mNumVertices));
    if (mesh.mNormals) model_.contradicted_normals += is_contradicted(mesh, face);
    model_.facets.push_back({first + face.mIndices[0], first + face.mIndices[1], first + face.mIndices[2]});
  }

  /// The normals of all three corners: a smooth model has one for each.
  static bool is_contradicted(const aiMesh& mesh, const aiFace& face) {
    const aiVector3D a = mesh.mVertices[face.mIndices[0]];
    const aiVector3D turned = (mesh.mVertices[face.mIndices[1]] - a) ^ (mesh.mVertices[face.mIndices[2]] - a);
    aiVector3D stated;
    for (int k = 0; k < 3; ++k) stated += mesh.mNormals[face.mIndices[k]];
    return stated * turned < 0;
  }

  ModelFile& model_;
  double mm_per_unit_;
};

/// Formats without a scene have one node, or one for each object, all in one place.
void check_in_place(const aiNode& node, const std::string& name) {
  if (!node.mTransformation.IsIdentity())
    refuse(name, "places its parts by transforms; export it as one mesh");
  for (unsigned i = 0; i < node.mNumChildren; ++i) check_in_place(*node.mChildren[i], name);
}

}  // namespace

ModelFile model_from_bytes(std::string_view bytes, const std::string& name, double mm_per_unit) {
  ModelFile model;
  model.name = name;
  model.sha256 = sha256_hex({ByteView(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())});
  const std::string format = model_format(name);
  const auto announced = announced_facets(bytes, name);
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, format.c_str());
  if (!scene || !scene->mRootNode)
    refuse(name, fmt::format("can't be read: {}; export it again", importer.GetErrorString()));
  check_in_place(*scene->mRootNode, name);
  Gatherer gatherer(model, mm_per_unit);
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) gatherer.take(*scene->mMeshes[i]);
  if (model.facets.empty()) refuse(name, "has no facet; export it as a mesh");
  if (announced && model.facets.size() != *announced)
    refuse(name, fmt::format("announces {} facets and {} were read; it is damaged, export it again",
                             *announced, model.facets.size()));
  return model;
}

ModelFile read_model(const std::filesystem::path& file, double mm_per_unit, const std::string& sha256) {
  const std::string name = file.filename().string();
  Bytes bytes;
  try {
    bytes = read_bytes(file, max_model_bytes);
  } catch (const std::exception& error) {
    throw ModelError(error.what());
  }
  if (const std::string is = sha256_hex({bytes}); is != sha256)
    refuse(name,
           fmt::format(
               "has the SHA-256 {}, the recipe is for {}; restore that file, or state the new one in the "
               "recipe",
               is, sha256));
  return model_from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name, mm_per_unit);
}

}  // namespace datum
