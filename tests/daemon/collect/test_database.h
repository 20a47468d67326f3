// A real PostgreSQL of this test's own, without a network (tests/scenario/plant/database.sh).
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <pqxx/pqxx>
#include <string>

#include "daemon/collect/collect_settings.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

class TestDatabase {
 public:
  /// Throws where it doesn't start. Check is_installed() before.
  TestDatabase() {
    // The account of PostgreSQL has to pass through, where the test runs as root.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0711));
    start();
  }
  ~TestDatabase() { call("kill"); }

  static bool is_installed() {
    return std::system("ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1") == 0;
  }

  void start() {
    if (call("start") != 0) throw std::runtime_error("PostgreSQL does not start");
  }
  void crash() { call("kill"); }

  DatabaseSettings settings() const {
    DatabaseSettings d;
    d.host = folder().string();
    d.name = "plant";
    d.user = "collect";
    return d;
  }
  /// Waits until no collector's writer holds the database: the server frees an ended connection's lock when its process gets to it.
  void wait_for_no_writer() const {
    ask("SELECT pg_advisory_lock(classid::bigint << 32 | objid::bigint), pg_advisory_unlock(classid::bigint "
        "<< 32 | objid::bigint) FROM "
        "pg_locks WHERE locktype = 'advisory' AND objsubid = 1");
  }
  /// First column of the first row.
  std::string ask(const std::string& sql) const {
    pqxx::connection connection(connection_string(settings()));
    pqxx::work work(connection);
    work.exec("SET search_path = datum");
    const auto rows = work.exec(sql);
    work.commit();
    return rows.empty() || rows[0].empty() || rows[0][0].is_null() ? "" : rows[0][0].c_str();
  }
  std::filesystem::path folder() const { return folder_ / "pg"; }

 private:
  int call(const std::string& command) const {
    const std::string line = "OPTIONS='-c fsync=off' " DATUM_SOURCE_DIR "/tests/scenario/plant/database.sh " +
                             command + " " + folder().string();
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  FreshFolder folder_;
};

}  // namespace datum::testing
