// What a sidecar and its files may be, as rows: for datumd-frames(7) and `datumctl frame describe`.
#pragma once

#include <span>
#include <string>

namespace datum {

struct SidecarRow {
  const char* key;      // "x.scale": a member of the object x
  bool needed;          // of a member: where its object stands
  const char* allowed;  // "a number above 0"
  const char* meaning;
  const char* option;  // of `datumctl frame describe --write`, which gives the value; "": none
};
/// Every key of a frame's sidecar, an object before its members. parse_sidecar knows these and no other.
std::span<const SidecarRow> sidecar_rows();

struct HeightFormat {
  const char* extensions;  // ".tif .tiff"
  const char* name;
  const char* samples;  // what datumd reads of it, and what it refuses
  const char* sidecar;  // what its sidecar needs, or why it needs none
};
/// Every format of a height file.
std::span<const HeightFormat> height_formats();
/// The format of a file's extension; null: none.
const HeightFormat* height_format_of(const std::string& file);

}  // namespace datum
