# For .ci/run: a PostgreSQL server of its own for the tests, in a temporary folder, on a free port of 127.0.0.1, gone with the run. Also what Debian's
# packages have and the tests use when it is there. Nothing here may fail a run: without a server or a browser those tests are skipped, and say so.

postgres_folder=''
postgres_user=''

# Debian's packages, where we may install them. Quiet: the log is for tests.
install_packages() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
  local wanted=()
  if [ -z "$(postgres_binaries)" ] && [ -z "${TEST_DATABASE_URL:-}" ]; then
    wanted+=(postgresql)
    # The package would start a server for everyone; ours is private.
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
      mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    fi
  fi
  command -v chromium >/dev/null || wanted+=(chromium)
  [ ${#wanted[@]} -gt 0 ] || return 0
  export DEBIAN_FRONTEND=noninteractive
  timeout 120 apt-get update -qq >/dev/null 2>&1
  local package
  for package in "${wanted[@]}"; do
    timeout 300 apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 || echo "$package could not be installed"
  done
}

# The folder of initdb and pg_ctl of the newest version; empty when there is none.
postgres_binaries() {
  local found
  found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  if [ -n "$found" ] && [ -x "$found/initdb" ]; then
    echo "$found"
  elif command -v initdb >/dev/null && command -v pg_ctl >/dev/null; then
    dirname "$(command -v initdb)"
  fi
}

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ -n "$postgres_user" ]; then
    (cd "$postgres_folder" && runuser -u "$postgres_user" -- "$@")
  else
    "$@"
  fi
}

# Starts the server and exports TEST_DATABASE_URL. One that is given is used as it is.
start_postgres() {
  [ -z "${TEST_DATABASE_URL:-}" ] || return 0
  local binaries port
  binaries=$(postgres_binaries)
  if [ -z "$binaries" ]; then
    echo 'PostgreSQL is not installed: its tests are skipped'
    return 0
  fi
  if [ "$(id -u)" = 0 ]; then
    postgres_user=postgres
    id "$postgres_user" >/dev/null 2>&1 || postgres_user=nobody
  fi
  postgres_folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-postgres.XXXXXX") || return 0
  [ -z "$postgres_user" ] || chown "$postgres_user" "$postgres_folder"
  as_postgres "$binaries/initdb" -D "$postgres_folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >/dev/null 2>&1
  # What is found free may be taken a moment later.
  for _ in 1 2 3; do
    port=$(node -e 'const server = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close() })')
    # Nothing of it outlives the run, so nothing is flushed to the disk.
    local settings="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$postgres_folder -c max_connections=300 -c fsync=off -c full_page_writes=off"
    if as_postgres "$binaries/pg_ctl" -D "$postgres_folder/data" -w -t 30 -l "$postgres_folder/log" -o "$settings" start >/dev/null 2>&1; then
      export TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"
      return 0
    fi
  done
  echo 'PostgreSQL could not be started: its tests are skipped'
}

# Says nothing: the last line of a run is the count of its tests.
stop_postgres() {
  [ -n "$postgres_folder" ] || return 0
  local binaries
  binaries=$(postgres_binaries)
  [ -z "$binaries" ] || as_postgres "$binaries/pg_ctl" -D "$postgres_folder/data" -m immediate -w -t 20 stop >/dev/null 2>&1
  rm -rf "$postgres_folder"
  postgres_folder=''
}
