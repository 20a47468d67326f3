#include "daemon/cell/cell_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

// Before the time at which a rewritten mark was set, ns; the time of its file is that of the rewriting.
constexpr std::string_view set_at = "\nset_at_ns ";

bool sync_folder_of(const std::filesystem::path& file) {
  const Descriptor folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.get() >= 0 && ::fsync(folder.get()) == 0;
}

}  // namespace

CellMark::CellMark(std::filesystem::path file) : file_(std::move(file)), stamp_(stamp_of(file_)) {
  if (stamp_) read();
}

/// What can't be read says nothing: neither its text nor an earlier time than the file's own.
void CellMark::read() {
  try {
    const Bytes bytes = read_bytes_below(file_.parent_path(), file_.filename(), 4096);
    text_.assign(bytes.begin(), bytes.end());
  } catch (const FrameError&) {
    return;
  }
  const auto at = text_.rfind(set_at);
  if (at == std::string::npos) return;
  const char* const from = text_.data() + at + set_at.size();
  std::int64_t ns = 0;
  const auto [end, error] = std::from_chars(from, text_.data() + text_.size(), ns);
  if (error == std::errc() && end == text_.data() + text_.size()) stamp_->changed_ns = ns;
  text_.resize(at);
}

bool CellMark::write(const std::filesystem::path& file, bool durable, const std::string& bytes) const {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (out.get() < 0 || ::write(out.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return false;
  // Times to now: an empty file that is truncated again may keep its own.
  return ::futimens(out.get(), nullptr) == 0 && (!durable || ::fsync(out.get()) == 0);
}

bool CellMark::set(bool durable, const std::string& text) {
  stamp_.reset();
  text_.clear();
  if (!write(file_, durable, text)) return false;
  if (durable && !sync_folder_of(file_)) return false;
  stamp_ = stamp_of(file_);
  text_ = text;
  return stamp_.has_value();
}

bool CellMark::rewrite(const std::string& text) {
  if (!stamp_) return false;
  std::filesystem::path fresh = file_;
  fresh += ".new";
  if (!write(fresh, true, fmt::format("{}{}{}", text, set_at, stamp_->changed_ns))) return false;
  if (::rename(fresh.c_str(), file_.c_str()) != 0) return false;
  text_ = text;
  return sync_folder_of(file_);
}

void CellMark::clear() {
  if (!stamp_) return;
  ::unlink(file_.c_str());
  stamp_.reset();
  text_.clear();
}

}  // namespace datum
