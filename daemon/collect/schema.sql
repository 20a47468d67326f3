-- Tables of datumd-collect, PostgreSQL 15 or newer. One collector writes; everybody else reads. Version 1.
CREATE SCHEMA datum;
SET LOCAL search_path = datum;
CREATE TABLE version (version int NOT NULL);
INSERT INTO version VALUES (1);

-- One row for each cell, by its CFX handle, with its newest result; it never goes back.
CREATE TABLE cell (
  cell int PRIMARY KEY, handle text NOT NULL UNIQUE, store int, link bigint, sequence bigint, measured timestamptz,
  received timestamptz, recipe text, unit text, decision smallint, reason text);

-- Each id that a cell's result store had. newest: highest entry known to exist; head: as the cell said last; removed_to: entries that the
-- cell's retention removed; parent: the id that its chain goes on from, behind entry first - 1.
CREATE TABLE store (
  store int PRIMARY KEY, cell int NOT NULL REFERENCES cell, store_id text NOT NULL, parent int REFERENCES store,
  first bigint NOT NULL, newest bigint NOT NULL, newest_sha256 text NOT NULL, head bigint NOT NULL, removed_to bigint NOT NULL,
  begun timestamptz NOT NULL, UNIQUE (cell, store_id));

-- Entries that are missing.
CREATE TABLE gap (store int NOT NULL REFERENCES store, first bigint NOT NULL, last bigint NOT NULL, since timestamptz NOT NULL,
  PRIMARY KEY (store, first));

-- Each entry once. before: hash of the entry before it, where that was not here when it came.
CREATE TABLE inbox (
  store int NOT NULL, link bigint NOT NULL, sha256 bytea NOT NULL, before bytea, received timestamptz NOT NULL, PRIMARY KEY (store, link));
-- Entries whose hash can't be checked before the entry before them is here.
CREATE TABLE unproven (store int NOT NULL, link bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (store, link));
-- Events of stores: made, removed, renewed, deeds of hosts, checks.
CREATE TABLE statement (store int NOT NULL, link bigint NOT NULL, statement text NOT NULL, PRIMARY KEY (store, link));

-- What was set aside or is to be looked at. raw: the message, or its first 64 KiB.
CREATE TABLE alarm (
  alarm bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, kind text NOT NULL, name text NOT NULL, cell text, store_id text, link bigint,
  detail text NOT NULL, entry_sha256 text, raw bytea, bytes bigint, times bigint NOT NULL DEFAULT 1,
  first_seen timestamptz NOT NULL, last_seen timestamptz NOT NULL, UNIQUE (kind, name));

CREATE TABLE product (product int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE recipe (recipe int PRIMARY KEY, product int NOT NULL REFERENCES product, sha256 text NOT NULL, UNIQUE (product, sha256));
CREATE TABLE making (making int PRIMARY KEY, calibration_sha256 text NOT NULL, code text NOT NULL, UNIQUE (calibration_sha256, code));
CREATE TABLE reason (reason int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE decision (decision smallint PRIMARY KEY, name text NOT NULL);
INSERT INTO decision VALUES (0, 'PASS'), (1, 'INCONCLUSIVE'), (2, 'FAIL'), (3, 'INVALID');
CREATE TABLE series (series smallint PRIMARY KEY, name text NOT NULL);
INSERT INTO series VALUES (0, 'first'), (1, 'repeat'), (2, 'artefact of a check'), (3, 'without a serial number');
-- What is measured under one recipe's text, with its limits.
CREATE TABLE characteristic (
  characteristic int PRIMARY KEY, recipe int NOT NULL REFERENCES recipe, reference text NOT NULL, package text NOT NULL,
  name text NOT NULL, parameter double precision NOT NULL, unit text NOT NULL, nominal double precision,
  lower_limit double precision, upper_limit double precision);

CREATE TABLE board (
  measured timestamptz NOT NULL, received timestamptz NOT NULL, link bigint NOT NULL, sequence bigint NOT NULL, store int NOT NULL,
  recipe int NOT NULL, making int NOT NULL, reason int NOT NULL, decision smallint NOT NULL, series smallint NOT NULL, place text NOT NULL,
  unit text NOT NULL) PARTITION BY RANGE (measured);
CREATE TABLE board_default PARTITION OF board DEFAULT;
CREATE INDEX board_unit ON board (unit) WHERE unit <> '';
CREATE INDEX board_measured ON board USING brin (measured);
-- count: value in 10^-6 of its unit; null: INVALID. u: standard uncertainty (U = 2 u).
CREATE TABLE measurement (
  measured timestamptz NOT NULL, link bigint NOT NULL, count bigint, store int NOT NULL, characteristic int NOT NULL, u real NOT NULL,
  decision smallint NOT NULL, reason smallint NOT NULL) PARTITION BY RANGE (measured);
CREATE TABLE measurement_default PARTITION OF measurement DEFAULT;
CREATE INDEX measurement_measured ON measurement USING brin (measured);

-- What stays for ever.
CREATE TABLE unit (
  product int NOT NULL, unit text NOT NULL, cell int NOT NULL, entered timestamptz NOT NULL, first timestamptz, first_decision smallint,
  last timestamptz NOT NULL, last_decision smallint NOT NULL, attempts int NOT NULL, invalid int NOT NULL,
  PRIMARY KEY (product, unit, cell));
CREATE TABLE board_sums (
  cell int NOT NULL, recipe int NOT NULL, making int NOT NULL, day date NOT NULL, series smallint NOT NULL, decision smallint NOT NULL,
  reason int NOT NULL, boards bigint NOT NULL, PRIMARY KEY (cell, recipe, making, day, series, decision, reason));
-- total and squares: of counts, exact.
CREATE TABLE sums (
  cell int NOT NULL, characteristic int NOT NULL, making int NOT NULL, day date NOT NULL, series smallint NOT NULL, n bigint NOT NULL,
  total numeric NOT NULL, squares numeric NOT NULL, lowest bigint, highest bigint, pass bigint NOT NULL, inconclusive bigint NOT NULL,
  fail bigint NOT NULL, invalid bigint NOT NULL, largest_u real NOT NULL, PRIMARY KEY (cell, characteristic, making, day, series))
  WITH (fillfactor = 70);
