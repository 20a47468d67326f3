#include "drivers/model/model_file.h"

#include <fmt/format.h>

#include "drivers/model/model_readers.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw ModelError(name + ": " + what);
}

}  // namespace

std::string model_format(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  std::string format = dot == std::string::npos ? "" : name.substr(dot + 1);
  for (char& c : format)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (format != "stl" && format != "ply" && format != "obj")
    refuse(name, "is not a model that datumd reads; export it as .stl, .ply or .obj");
  return format;
}

ModelFile model_from_bytes(std::string_view bytes, const std::string& name, double mm_per_unit) {
  ModelFile model;
  model.name = name;
  const std::string format = model_format(name);
  if (bytes.size() > max_model_bytes)
    refuse(name, fmt::format("has {} bytes, more than the {} that a model may have; export it coarser",
                             bytes.size(), max_model_bytes));
  model.sha256 = sha256_hex({ByteView(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())});
  ModelGatherer gatherer(model, mm_per_unit);
  if (format == "stl") read_stl(bytes, gatherer);
  if (format == "ply") read_ply_model(bytes, gatherer);
  if (format == "obj") read_obj(bytes, gatherer);
  if (model.facets.empty()) refuse(name, "has no facet; export it as a mesh");
  return model;
}

ModelFile read_model(const std::filesystem::path& folder, const std::filesystem::path& file,
                     double mm_per_unit, const std::string& sha256, const ModelParser* apart) {
  const std::string name = file.filename().string();
  model_format(name);  // checked first: no other file's content is reported, not even its hash
  Bytes bytes;
  try {
    bytes = read_bytes_below(folder, file, max_model_bytes);
  } catch (const std::exception& error) {
    throw ModelError(error.what());
  }
  if (const std::string is = sha256_hex({bytes}); is != sha256)
    refuse(name,
           fmt::format(
               "has the SHA-256 {}, the recipe is for {}; restore that file, or state the new one in the "
               "recipe",
               is, sha256));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!apart) return model_from_bytes(text, name, mm_per_unit);
  ModelFile model = apart->parse(text, name, mm_per_unit);
  model.name = name;
  model.sha256 = sha256;
  return model;
}

}  // namespace datum
