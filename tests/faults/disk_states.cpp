#include "tests/faults/disk_states.h"

#include <algorithm>

namespace datum::faults {

namespace {

constexpr std::size_t most_moves = 60;  // disks flush names within this number of operations

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

void put_bytes(std::string& file, std::uint64_t offset, const char* bytes, std::size_t n) {
  if (file.size() < offset + n) file.resize(offset + n);
  std::copy(bytes, bytes + n, file.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

DiskStates::DiskStates(Tree there) {  // NOLINT(performance-unnecessary-value-param): moved from
  for (auto& [path, bytes] : there)
    names_[path] = path.ends_with('/') ? nullptr : std::make_shared<File>(File{std::move(bytes), {}});
  synced_names_ = names_;
}

void DiskStates::put(const std::string& path, const std::string& bytes) {
  names_[path] = synced_names_[path] = std::make_shared<File>(File{bytes, {}});
}

void DiskStates::apply(const DiskRecord& record, const std::shared_ptr<File>& made, Names& names) {
  if (record.act == DiskAct::create) names[record.path] = made;
  if (record.act == DiskAct::make) names[record.path + "/"] = nullptr;
  if (record.act == DiskAct::remove) names.erase(record.path), names.erase(record.path + "/");
  if (record.act != DiskAct::rename) return;
  Names moved;
  for (auto name = names.begin(); name != names.end();) {
    const bool inside = name->first == record.path || name->first.rfind(record.path + "/", 0) == 0;
    if (!inside) {
      ++name;
      continue;
    }
    moved[record.to + name->first.substr(record.path.size())] = name->second;
    name = names.erase(name);
  }
  for (auto& [name, file] : moved) names[name] = file;
}

void DiskStates::follow(const DiskRecord& record) {
  const auto named = names_.find(record.path);
  File* file = named == names_.end() ? nullptr : named->second.get();
  switch (record.act) {
    case DiskAct::write:
      if (file) file->changes.push_back({false, record.offset, record.bytes});
      return;
    case DiskAct::truncate:
      if (file) file->changes.push_back({true, record.offset, ""});
      return;
    case DiskAct::sync:
      return sync(record.path);
    case DiskAct::tell:
      return;
    default:
      break;
  }
  Move move{record, record.act == DiskAct::create ? std::make_shared<File>() : nullptr};
  apply(move.record, move.made, names_);
  moves_.push_back(std::move(move));
  if (moves_.size() > most_moves) {
    apply(moves_.front().record, moves_.front().made, synced_names_);
    moves_.erase(moves_.begin());
  }
}

void DiskStates::sync(const std::string& path) {
  if (const auto named = names_.find(path); named != names_.end() && named->second) {
    File& file = *named->second;
    file.synced = all_of(file);
    file.changes.clear();
    for (Move& move : moves_) move.may_be_lost_on_ext4 = false;
    return;
  }
  std::size_t last = 0;  // of its folder, with all moves before it
  for (std::size_t i = 0; i < moves_.size(); ++i)
    if (folder_of(moves_[i].record.path) == path || folder_of(moves_[i].record.to) == path) last = i + 1;
  for (std::size_t i = 0; i < last; ++i) apply(moves_[i].record, moves_[i].made, synced_names_);
  moves_.erase(moves_.begin(), moves_.begin() + static_cast<std::ptrdiff_t>(last));
}

std::string DiskStates::all_of(const File& file) {
  std::string bytes = file.synced;
  for (const Change& change : file.changes) {
    if (change.truncates)
      bytes.resize(change.offset);
    else
      put_bytes(bytes, change.offset, change.bytes.data(), change.bytes.size());
  }
  return bytes;
}

std::string DiskStates::some_of(const File& file, std::mt19937& random) {
  std::string bytes = file.synced;
  const bool all = random() % 8 == 0, none = random() % 8 == 0, whole = random() % 2 == 0;
  const bool stale = random() % 4 == 0;
  const std::uint64_t sector = random() % 2 == 0 ? 512 : 4096;
  const auto comes = [&] { return all || (!none && random() % 2 == 0); };
  for (const Change& change : file.changes) {
    if (change.truncates) {
      if (comes()) bytes.resize(change.offset);
      continue;
    }
    const bool at_all = comes();
    const std::uint64_t end = change.offset + change.bytes.size();
    for (std::uint64_t from = change.offset; from < end;) {
      const std::uint64_t to = std::min(end, (from / sector + 1) * sector);
      const bool here = whole ? at_all : comes();
      if (!here && bytes.size() < to && at_all) bytes.resize(to, stale ? '\x5a' : '\0');
      if (here) put_bytes(bytes, from, change.bytes.data() + (from - change.offset), to - from);
      from = to;
    }
  }
  return bytes;
}

Tree DiskStates::seen() const {
  Tree tree;
  for (const auto& [path, file] : names_) tree[path] = file ? all_of(*file) : "";
  return tree;
}

Tree DiskStates::after_a_cut(std::mt19937& random) const {
  Names names = synced_names_;
  std::size_t kept = 0;
  if (random() % 2 == 0)
    while (kept < moves_.size() && !moves_[kept].may_be_lost_on_ext4) ++kept;
  kept += random() % (moves_.size() - kept + 1);
  for (std::size_t i = 0; i < kept; ++i) apply(moves_[i].record, moves_[i].made, names);
  Tree tree;
  for (const auto& [path, file] : names) tree[path] = file ? some_of(*file, random) : "";
  return tree;
}

}  // namespace datum::faults
