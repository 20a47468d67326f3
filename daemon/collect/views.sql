-- What people and Grafana read; daemon/collect/README.md explains each column.
CREATE VIEW gaps AS
  SELECT c.handle, s.store_id, g.first, g.last, g.last - g.first + 1 AS entries, g.since, g.last <= s.removed_to AS removed_by_retention
  FROM gap g JOIN store s USING (store) JOIN cell c USING (cell);

CREATE VIEW lag AS
  SELECT c.handle, s.store_id, c.link AS newest_result, s.newest AS newest_entry, s.head AS head_at_cell, greatest(s.head - s.newest, 0) AS behind,
    coalesce((SELECT sum(g.last - g.first + 1) FROM gap g JOIN store t USING (store) WHERE t.cell = c.cell AND g.last > t.removed_to), 0)::bigint AS missing,
    c.measured, c.received, extract(epoch FROM c.received - c.measured)::float8 AS delay_s,
    extract(epoch FROM now() - c.received)::float8 AS silent_s, c.recipe, c.unit, d.name AS decision, c.reason
  FROM cell c LEFT JOIN store s ON s.store = c.store LEFT JOIN decision d ON d.decision = c.decision;

CREATE VIEW boards AS
  SELECT c.handle, s.store_id, b.sequence, b.link, b.measured, b.received, p.name AS recipe, r.sha256 AS recipe_sha256, m.calibration_sha256, m.code,
    b.place, b.unit, d.name AS decision, e.name AS reason, k.name AS series
  FROM board b JOIN recipe r USING (recipe) JOIN product p USING (product) JOIN making m USING (making) JOIN series k USING (series)
    JOIN store s USING (store) JOIN cell c USING (cell) JOIN decision d ON d.decision = b.decision JOIN reason e ON e.reason = b.reason;

CREATE VIEW measurements AS
  SELECT c.handle, s.store_id, m.link, m.measured, p.name AS recipe, k.reference, k.package, k.name AS characteristic, k.parameter, k.unit,
    m.count / 1e6::float8 AS value, 2 * m.u AS u_k2, k.nominal, k.lower_limit, k.upper_limit, d.name AS decision, e.name AS reason
  FROM measurement m JOIN characteristic k USING (characteristic) JOIN recipe r USING (recipe) JOIN product p USING (product)
    JOIN store s USING (store) JOIN cell c USING (cell) JOIN decision d ON d.decision = m.decision JOIN reason e ON e.reason = m.reason;

-- Of boards that were measured for the first time, or have no serial number. INVALID is in the denominator and never good; INCONCLUSIVE makes
-- the yield an interval.
CREATE VIEW yield AS
  SELECT c.handle, p.name AS recipe, s.day, t.boards, t.pass, t.inconclusive, t.fail, t.invalid, t.repeats,
    t.pass::float8 / nullif(t.boards, 0) AS yield_low, (t.pass + t.inconclusive)::float8 / nullif(t.boards, 0) AS yield_high
  FROM (SELECT DISTINCT cell, product, day FROM board_sums JOIN recipe USING (recipe) WHERE series <> 2) s
    JOIN cell c USING (cell) JOIN product p USING (product)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(boards) FILTER (WHERE series IN (0, 3)), 0)::bigint AS boards,
        coalesce(sum(boards) FILTER (WHERE series IN (0, 3) AND decision = 0), 0)::bigint AS pass,
        coalesce(sum(boards) FILTER (WHERE series IN (0, 3) AND decision = 1), 0)::bigint AS inconclusive,
        coalesce(sum(boards) FILTER (WHERE series IN (0, 3) AND decision = 2), 0)::bigint AS fail,
        coalesce(sum(boards) FILTER (WHERE series IN (0, 3) AND decision = 3), 0)::bigint AS invalid,
        coalesce(sum(boards) FILTER (WHERE series = 1), 0)::bigint AS repeats
      FROM board_sums b JOIN recipe r USING (recipe) WHERE b.cell = s.cell AND r.product = s.product AND b.day = s.day) t;

-- Units of a recipe, over all cells: the first attempt that is not INVALID decides the first pass, the last attempt the final yield.
-- Boards without a serial number are units of one attempt.
CREATE VIEW first_pass_yield AS
  WITH attempt AS (
    SELECT product, unit, min(entered) AS entered, (array_agg(first_decision ORDER BY first, cell) FILTER (WHERE first IS NOT NULL))[1] AS first_decision,
      (array_agg(last_decision ORDER BY last DESC, cell))[1] AS last_decision, sum(attempts) AS attempts, sum(invalid) AS invalid
    FROM unit GROUP BY product, unit),
  counted AS (
    SELECT product, (entered AT TIME ZONE 'UTC')::date AS day, first_decision, last_decision, attempts, invalid, 1::bigint AS units FROM attempt
    UNION ALL
    SELECT r.product, b.day, nullif(b.decision, 3), b.decision, b.boards, CASE WHEN b.decision = 3 THEN b.boards ELSE 0 END, b.boards
    FROM board_sums b JOIN recipe r USING (recipe) WHERE b.series = 3)
  SELECT p.name AS recipe, day, sum(units)::bigint AS entered,
    coalesce(sum(units) FILTER (WHERE first_decision = 0), 0)::bigint AS first_pass,
    coalesce(sum(units) FILTER (WHERE first_decision = 1), 0)::bigint AS first_inconclusive,
    coalesce(sum(units) FILTER (WHERE first_decision = 2), 0)::bigint AS first_fail,
    coalesce(sum(units) FILTER (WHERE first_decision IS NULL), 0)::bigint AS not_inspected,
    coalesce(sum(units) FILTER (WHERE first_decision = 0), 0)::float8 / sum(units)::float8 AS fpy_low,
    coalesce(sum(units) FILTER (WHERE first_decision IN (0, 1)), 0)::float8 / sum(units)::float8 AS fpy_high,
    coalesce(sum(units) FILTER (WHERE last_decision = 0), 0)::float8 / sum(units)::float8 AS final_yield,
    sum(attempts)::bigint AS attempts, sum(invalid)::bigint AS invalid_attempts
  FROM counted JOIN product p USING (product) GROUP BY p.name, day;

-- Sums of values of first measurements (INCONCLUSIVE and FAIL ones too, INVALID ones have none), in the characteristic's unit. Within: the standard
-- deviation pooled over days of one cell, calibration and code. No index is given where more than 5 % of the measurements are INVALID.
CREATE VIEW spc_sums AS
  SELECT characteristic, cell, making, sum(n)::bigint AS n, sum(total) AS total, sum(squares) AS squares,
    coalesce(sum(squares - total * total / n) FILTER (WHERE n > 0), 0) AS within_squares, coalesce(sum(n - 1) FILTER (WHERE n > 0), 0)::bigint AS within_df,
    min(lowest) AS lowest, max(highest) AS highest, sum(pass)::bigint AS pass, sum(inconclusive)::bigint AS inconclusive, sum(fail)::bigint AS fail,
    sum(invalid)::bigint AS invalid, max(largest_u) AS largest_u, min(day) AS first_day, max(day) AS last_day
  FROM sums WHERE series = 0 GROUP BY characteristic, cell, making;

CREATE FUNCTION spc_indices(n bigint, total numeric, squares numeric, within_squares numeric, within_df bigint, invalid bigint,
    lower_limit float8, upper_limit float8, OUT mean float8, OUT s float8, OUT s_within float8, OUT cp float8, OUT cpk float8, OUT pp float8,
    OUT ppk float8) LANGUAGE sql IMMUTABLE AS $$
  SELECT m.mean, m.s, m.s_within,
    CASE WHEN m.fit THEN (upper_limit - lower_limit) / (6 * nullif(m.s_within, 0)) END,
    CASE WHEN m.fit THEN least(upper_limit - m.mean, m.mean - lower_limit) / (3 * nullif(m.s_within, 0)) END,
    CASE WHEN m.fit THEN (upper_limit - lower_limit) / (6 * nullif(m.s, 0)) END,
    CASE WHEN m.fit THEN least(upper_limit - m.mean, m.mean - lower_limit) / (3 * nullif(m.s, 0)) END
  FROM (SELECT (total / nullif(n, 0) / 1000000)::float8 AS mean,
      CASE WHEN n > 1 THEN (sqrt((n * squares - total * total) / (n::numeric * (n - 1))) / 1000000)::float8 END AS s,
      CASE WHEN within_df > 0 THEN (sqrt(greatest(within_squares, 0) / within_df) / 1000000)::float8 END AS s_within,
      invalid * 20 <= n + invalid AS fit) m $$;

CREATE VIEW spc AS
  SELECT p.name AS recipe, r.sha256 AS recipe_sha256, k.reference, k.package, k.name AS characteristic, k.parameter, k.unit, c.handle,
    m.calibration_sha256, m.code, x.first_day, x.last_day, x.n, x.invalid, x.pass, x.inconclusive, x.fail, i.mean, i.s, i.s_within,
    x.lowest / 1e6::float8 AS lowest, x.highest / 1e6::float8 AS highest, 2 * x.largest_u AS largest_u_k2, k.lower_limit, k.upper_limit,
    i.cp, i.cpk, i.pp, i.ppk
  FROM spc_sums x JOIN characteristic k USING (characteristic) JOIN recipe r USING (recipe) JOIN product p USING (product)
    JOIN cell c USING (cell) JOIN making m USING (making)
    CROSS JOIN LATERAL spc_indices(x.n, x.total, x.squares, x.within_squares, x.within_df, x.invalid, k.lower_limit, k.upper_limit) i;

-- The same over all cells, calibrations and code.
CREATE VIEW spc_plant AS
  SELECT p.name AS recipe, r.sha256 AS recipe_sha256, k.reference, k.package, k.name AS characteristic, k.parameter, k.unit, x.cells, x.first_day,
    x.last_day, x.n, x.invalid, x.pass, x.inconclusive, x.fail, i.mean, i.s, i.s_within, x.lowest / 1e6::float8 AS lowest,
    x.highest / 1e6::float8 AS highest, 2 * x.largest_u AS largest_u_k2, k.lower_limit, k.upper_limit, i.cp, i.cpk, i.pp, i.ppk
  FROM (SELECT characteristic, count(DISTINCT cell) AS cells, sum(n)::bigint AS n, sum(total) AS total, sum(squares) AS squares,
      sum(within_squares) AS within_squares, sum(within_df)::bigint AS within_df, min(lowest) AS lowest, max(highest) AS highest,
      sum(pass)::bigint AS pass, sum(inconclusive)::bigint AS inconclusive, sum(fail)::bigint AS fail, sum(invalid)::bigint AS invalid,
      max(largest_u) AS largest_u, min(first_day) AS first_day, max(last_day) AS last_day
    FROM spc_sums GROUP BY characteristic) x
    JOIN characteristic k USING (characteristic) JOIN recipe r USING (recipe) JOIN product p USING (product)
    CROSS JOIN LATERAL spc_indices(x.n, x.total, x.squares, x.within_squares, x.within_df, x.invalid, k.lower_limit, k.upper_limit) i;

-- From which entry on a cell would have to send again, so that nothing is missing here: after a restored dump, too.
CREATE VIEW resend AS
  SELECT c.handle, s.store_id, coalesce((SELECT min(g.first) FROM gap g WHERE g.store = s.store AND g.last > s.removed_to), s.newest + 1) AS from_entry
  FROM store s JOIN cell c USING (cell) WHERE s.store = (SELECT t.store FROM store t WHERE t.cell = s.cell ORDER BY t.begun DESC, t.store DESC LIMIT 1);
