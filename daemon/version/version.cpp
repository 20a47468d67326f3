#include "daemon/version/version.h"

#include <fmt/core.h>
#include <png.h>
#include <sqlite3.h>

#include <Eigen/Core>

namespace datum {

std::string code_id() { return DATUM_CODE; }

std::string features() {
  return fmt::format("g++ {}.{}, {}, Eigen {}.{}.{}, SQLite {}, libpng {}", __GNUC__, __GNUC_MINOR__,
                     DATUM_CUDA_BUILD, EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
                     sqlite3_libversion(), PNG_LIBPNG_VER_STRING);
}

}  // namespace datum
