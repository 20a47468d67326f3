// Tables of a merged batch. Its application id is not that of a result store, so that no reader takes it for one.
#pragma once

#include "daemon/store/store_schema.h"

namespace datum {

static_assert(what_if_application_id == 0x44545749);  // "DTWI"
/// One version of SQLite then writes the same bytes for the same rows.
inline constexpr const char* merged_pragmas[] = {
    "PRAGMA page_size = 4096",      "PRAGMA encoding = 'UTF-8'", "PRAGMA auto_vacuum = NONE",
    "PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = FULL", "PRAGMA application_id = 1146378057",
    "PRAGMA user_version = 1",
};

inline constexpr const char* merged_tables = R"sql(
  CREATE TABLE batch (
    one INTEGER PRIMARY KEY CHECK (one = 1), what_if INTEGER NOT NULL CHECK (what_if = 1),  -- never a verdict of record
    manifest_sha256 TEXT NOT NULL, backend TEXT NOT NULL, code TEXT NOT NULL, numeric_contract INTEGER NOT NULL,
    units INTEGER NOT NULL);
  CREATE TABLE unit (
    key TEXT PRIMARY KEY, frame_id TEXT NOT NULL, frame_sha256 TEXT NOT NULL, unit_id TEXT NOT NULL, recipe TEXT NOT NULL,
    recipe_sha256 TEXT NOT NULL, calibration TEXT NOT NULL, calibration_sha256 TEXT NOT NULL,
    store_id TEXT, sequence INTEGER, code_before TEXT, decision_before TEXT, reason_before TEXT,  -- NULL: of an archive
    what_if_decision TEXT NOT NULL, what_if_reason TEXT NOT NULL, what_if_verdict TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE characteristic (
    key TEXT NOT NULL REFERENCES unit, reference TEXT NOT NULL, characteristic TEXT NOT NULL, parameter REAL NOT NULL,
    unit TEXT NOT NULL, decision_before TEXT, value_before REAL, u_before REAL, what_if_decision TEXT, what_if_value REAL,
    what_if_u REAL, delta REAL, PRIMARY KEY (key, reference, characteristic, parameter)) WITHOUT ROWID;
  CREATE TABLE unmeasured (what TEXT NOT NULL, why TEXT NOT NULL);
  CREATE VIEW confusion AS
    WITH d(name) AS (VALUES ('PASS'), ('INCONCLUSIVE'), ('FAIL'), ('INVALID'))
    SELECT b.name AS before, n.name AS what_if,
      (SELECT count(*) FROM unit WHERE decision_before = b.name AND what_if_decision = n.name) AS boards
    FROM d AS b, d AS n;
  CREATE VIEW flip AS
    SELECT key, sequence, frame_id, unit_id, decision_before, what_if_decision FROM unit
    WHERE decision_before IS NOT NULL AND decision_before <> what_if_decision;
  CREATE VIEW characteristic_flip AS
    SELECT * FROM characteristic WHERE decision_before IS NOT what_if_decision;
)sql";

inline constexpr const char* insert_merged_batch = "INSERT INTO batch VALUES (1, 1, ?1, ?2, ?3, ?4, ?5)";
inline constexpr const char* insert_merged_unit =
    "INSERT INTO unit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
inline constexpr const char* insert_merged_check =
    "INSERT INTO characteristic VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
inline constexpr const char* insert_merged_unmeasured = "INSERT INTO unmeasured VALUES (?1, ?2)";

}  // namespace datum
