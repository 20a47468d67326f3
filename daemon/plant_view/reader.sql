-- The account of datumd-plant-view, which can read and change nothing. Once, as the owner of the schema "datum" or a superuser:
--   psql -d plant -v owner=datumd-collect -f reader.sql
-- `owner`: the account of datumd-collect, which makes tables later on. A password, where it does not come by a socket: \password datumd-plant-view
CREATE ROLE "datumd-plant-view" LOGIN;
GRANT USAGE ON SCHEMA datum TO "datumd-plant-view";
GRANT SELECT ON ALL TABLES IN SCHEMA datum TO "datumd-plant-view";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA datum GRANT SELECT ON TABLES TO "datumd-plant-view";
