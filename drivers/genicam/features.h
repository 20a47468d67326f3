// Watched access to features of an opened camera by name. Internal to this folder because it shows Aravis'
// types.
#pragma once

#include <arv.h>

#include <string>

#include "drivers/genicam/camera.h"

namespace datum::genicam {

/// Receives an error of Aravis.
class Failure {
 public:
  Failure() = default;
  ~Failure() { g_clear_error(&error_); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  GError** place() { return &error_; }
  bool there() const { return error_ != nullptr; }
  /// Throws RefusedError where the camera has no such feature or refuses the value, else LostError.
  void check(const std::string& what) const;

 private:
  GError* error_ = nullptr;
};

/// One access in progress.
class Access {
 public:
  Access(const CameraTools& tools, const char* what) : tools_(tools) { tools_.access_begins(what); }
  ~Access() { tools_.access_ends(); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  const CameraTools& tools_;
};

/// All throw as Failure::check does; the messages name the feature.
class Features {
 public:
  Features(ArvDevice* device, const CameraTools& tools) : device_(device), tools_(tools) {}
  bool has(const char* name) const;
  std::string text(const char* name) const;
  std::string text_or(const char* name, const std::string& otherwise) const;
  double number(const char* name) const;
  std::int64_t integer(const char* name) const;
  bool flag(const char* name) const;
  void set(const char* name, const std::string& value) const;
  void set_integer(const char* name, std::int64_t value) const;
  void set_if_there(const char* name, const std::string& value) const;
  void execute(const char* name) const;

 private:
  ArvDevice* device_;
  const CameraTools& tools_;
};

/// Current Scan3d values, pixel format and size. The selector is set before each value is read.
Setup read_setup(const Features& features);
/// By TimestampLatch (ns) or GevTimestampControlLatch (ticks); none: the camera has neither, or its clock
/// does not run.
std::optional<ClockAnswer> latch_clock(const Features& features, ArvDevice* device, const CameraTools& tools);

}  // namespace datum::genicam
