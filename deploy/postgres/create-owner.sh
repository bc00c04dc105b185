#!/bin/sh
# Run once by the primary's image, when its data folder is new: the role of the nodes. It owns the
# database, and has no rights on the server.
set -eu

psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB" <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE mintwire LOGIN PASSWORD :'password';
ALTER DATABASE :"DBNAME" OWNER TO mintwire;
SQL
