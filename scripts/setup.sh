# SPDX-License-Identifier: MIT
# What ./quickstart and ./test share: the repository root, the packages, one stage after the other.
# Sourced by bash, never run by itself.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
mkdir -p build
# dotnet asks for a home, which a bare container may not have.
export HOME=${HOME:-$root/build}

say() { printf '== %s\n' "$*"; }

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# wanted_packages LIST...: the lists are files in scripts.
wanted_packages() {
    local package command
    (cd "$root/scripts" && grep -hEv '^(#|$)' "$@") | while read -r package _ command; do
        [ -n "$command" ] && command -v "$command" >/dev/null || printf '%s\n' "$package"
    done
}

missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' |
        sed -n 's/^installed \([^:]*\).*/\1/p')
    grep -Fxv -f <(printf '%s\n' "$installed") <(wanted_packages "$@")
}

# apt-get talks to a log: what it says of its sources is nobody's business here.
install_packages() {
    local log=$root/build/packages.log
    export DEBIAN_FRONTEND=noninteractive
    apt-get update >"$log" 2>&1 </dev/null &&
        apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null ||
        fail "the packages cannot be installed; see build/packages.log"
}

# ensure_packages LIST...: sees to it that every package of these lists is there, or ends the script.
ensure_packages() {
    command -v dpkg-query >/dev/null || fail "this is no Debian; install by hand what" \
        "${*/#/scripts/} names, then use the presets of CONTRIBUTING.md"
    local missing
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -z "$missing" ] && return
    [ "$(id -u)" = 0 ] || fail "packages are missing and only root can install them:" \
        "apt-get install $missing"
    say "installing $missing"
    # shellcheck disable=SC2086  # a list of words is meant
    install_packages $missing
}

# build PRESET [TARGET...]: configures what is not configured, builds; shows the output of failures.
build() {
    local preset=$1 log=$root/build/configure-$1.log
    shift
    if ! cmake --preset "$preset" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        return 1
    fi
    cmake --build --preset "$preset" ${1:+--target "$@"} </dev/null
}
