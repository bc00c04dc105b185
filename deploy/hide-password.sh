# For scripts that call PostgreSQL's programs: everybody on the machine sees their arguments. Takes
# the password out of $DATABASE_URL and puts it into $PGPASSWORD.

case $DATABASE_URL in
  *[?\&]password=*) echo "DATABASE_URL: write the password before the @" >&2; exit 2 ;;
esac
scheme=${DATABASE_URL%%://*}
rest=${DATABASE_URL#*://}
authority=${rest%%[/?]*}
user=${authority%@*}
if [ "$user" != "$authority" ] && [ "${user#*:}" != "$user" ]; then
  PGPASSWORD=$(ENCODED=${user#*:} LC_ALL=C awk 'BEGIN {
    digits = "0123456789abcdef"
    rest = ENVIRON["ENCODED"]
    while (match(rest, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
      hex = tolower(substr(rest, RSTART + 1, 2))
      code = 16 * (index(digits, substr(hex, 1, 1)) - 1) + index(digits, substr(hex, 2, 1)) - 1
      printf "%s%c", substr(rest, 1, RSTART - 1), code
      rest = substr(rest, RSTART + 3)
    }
    printf "%s", rest
  }')
  export PGPASSWORD
  DATABASE_URL="$scheme://${user%%:*}@${authority##*@}${rest#"$authority"}"
fi
