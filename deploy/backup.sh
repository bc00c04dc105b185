#!/bin/sh
# Dumps the PostgreSQL store at $DATABASE_URL into $BACKUP_DIR, while the service runs.
#
#   backup.sh          everything: the index, and access (wallets, keys, sessions, usage)
#   backup.sh access   access alone: small, and the only part that no chain has
#
# $BACKUPS_KEPT of each kind are kept (14 by default). A dump gets its name when it is complete.
set -eu

kind=${1:-all}
: "${DATABASE_URL:?is not set}" "${BACKUP_DIR:?is not set}"
. "$(dirname "$0")/hide-password.sh"
case $kind in
  all) set -- ;;
  access) set -- --table='access_*' --table=mintwire_access_migrations ;;
  *) echo "usage: backup.sh [access]" >&2; exit 2 ;;
esac

umask 077
mkdir -p "$BACKUP_DIR"
file="$BACKUP_DIR/mintwire-$kind-$(date -u +%Y%m%dT%H%M%SZ).dump"
trap 'rm -f "$file.part"' EXIT
pg_dump --format=custom --no-owner --no-privileges "$@" --file="$file.part" "$DATABASE_URL"
# A dump whose table of contents cannot be read is none.
pg_restore --list "$file.part" > /dev/null
mv "$file.part" "$file"
echo "$file"

ls -1 "$BACKUP_DIR"/mintwire-"$kind"-*.dump | sort -r | tail -n "+$((${BACKUPS_KEPT:-14} + 1))" |
  while read -r old; do rm -f "$old"; done
