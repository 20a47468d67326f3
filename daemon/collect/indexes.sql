-- Made at each start where they are missing: what reads one characteristic, one day, or the units of some days need not read all.
CREATE INDEX IF NOT EXISTS sums_characteristic ON sums (characteristic, day);
CREATE INDEX IF NOT EXISTS board_sums_day ON board_sums (day);
CREATE INDEX IF NOT EXISTS unit_entered ON unit USING brin (entered);
