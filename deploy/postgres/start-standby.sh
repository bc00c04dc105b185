#!/bin/sh
# Starts a hot standby of the primary at $PRIMARY_HOST: copies it the first time, then follows it.
# One that was away for too long for the primary cannot follow it any more, and is not copied anew:
# docs/operating.md says how. Takes the server's command line as arguments.
set -eu

if [ ! -d "$PGDATA" ]; then
  # A copy that was interrupted is begun anew.
  rm -rf "$PGDATA.part"
  mkdir -p "$(dirname "$PGDATA")"
  PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata="$PGDATA.part" --wal-method=stream \
    --host="$PRIMARY_HOST" --port="${PRIMARY_PORT:-5432}" --username=replicator --no-password \
    --slot=standby --checkpoint=fast --write-recovery-conf
  mv "$PGDATA.part" "$PGDATA"
fi
exec "$@"
