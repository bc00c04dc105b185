#!/bin/sh
# Restores a dump of backup.sh into the empty database at $DATABASE_URL: `restore.sh <file>`.
# Stop every node first. `mintwire migrate` and `mintwire verify` come after it.
set -eu

file=${1:?usage: restore.sh <file of backup.sh>}
: "${DATABASE_URL:?is not set}"
. "$(dirname "$0")/hide-password.sh"
tables=$(psql --no-psqlrc --tuples-only --no-align --set=ON_ERROR_STOP=1 \
  --command="SELECT count(*) FROM pg_tables WHERE schemaname = 'public'" "$DATABASE_URL")
if [ "$tables" != 0 ]; then
  echo "restore.sh: the database has $tables tables already; restore into an empty one" >&2
  exit 1
fi
pg_restore --exit-on-error --single-transaction --no-owner --no-privileges \
  --dbname="$DATABASE_URL" "$file"
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --command='ANALYZE' "$DATABASE_URL"
