#!/bin/sh
# Tries packages in a fresh Debian: installs them, trains, builds an example against libtroupe-dev, purges them.
#
# usage, as root: try.sh SUITE FOLDER_OF_PACKAGES [CHROOT]
# SUITE: bookworm or trixie. CHROOT: a folder for it, made by debootstrap unless it is there.
set -eu
suite=${1:?"usage: try.sh SUITE FOLDER_OF_PACKAGES [CHROOT]"}
packages=$(cd "${2:?"usage: try.sh SUITE FOLDER_OF_PACKAGES [CHROOT]"}" && pwd)
root=${3:-/var/tmp/troupe-$suite}
source=$(cd "$(dirname "$0")/../.." && pwd)

say() { printf '%s s  %s\n' "$(($(date +%s) - began))" "$*"; }
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root "$@"; }
files() { inside find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort; }

began=$(date +%s)
[ -d "$root/usr" ] || debootstrap --variant=minbase "$suite" "$root" >"/tmp/debootstrap-$suite.log"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
inside apt-get update -qq
inside apt-get install -qqy --no-install-recommends g++ cmake ninja-build >/dev/null
rm -rf "$root/tmp/troupe" && mkdir -p "$root/tmp/troupe"
cp "$packages"/*.deb "$root/tmp/troupe"
cp -r "$source/examples" "$root/tmp/troupe"
files >"$root/tmp/troupe/before"

began=$(date +%s)
inside sh -c 'apt-get install -qqy --no-install-recommends /tmp/troupe/troupe_*.deb /tmp/troupe/libtroupe0_*.deb >/dev/null'
say "troupe and libtroupe0 are installed"
inside sh -c 'cd /tmp/troupe && troupe train -q training.epochs=2'
say "trained digits for two epochs"
inside sh -c 'LD_DEBUG=libs troupe --version 2>&1 | grep -o "init: .*libtroupe_model.*"' || true
inside sh -c 'troupe train --help >/dev/null && zcat /usr/share/man/man1/troupe-train.1.gz >/dev/null'
inside sh -c 'apt-get install -qqy --no-install-recommends /tmp/troupe/libtroupe-dev_*.deb >/dev/null'
say "libtroupe-dev is installed"
for example in library extension; do
  inside sh -c "cd /tmp/troupe && cmake -S examples/$example -B $example -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null && cmake --build $example -- --quiet"
done
inside sh -c 'cd /tmp/troupe && library/digits && extension/extension'
say "examples/library and examples/extension are built and ran"
# shellcheck disable=SC2016 # the shell in the chroot expands it
inside sh -c 'apt-get install -qqy pkg-config >/dev/null; cd /tmp/troupe && g++ -std=c++20 -O2 examples/library/main.cpp -o digits $(pkg-config --cflags --libs troupe) && ./digits'
say "examples/library is built by pkg-config and ran"
if ls "$packages"/python3-troupe_*.deb >/dev/null 2>&1; then
  inside sh -c 'apt-get install -qqy --no-install-recommends /tmp/troupe/python3-troupe_*.deb >/dev/null && python3 -c "import troupe; print(troupe.__version__)"'
  say "python3-troupe is installed and imported"
fi

inside sh -c 'apt-get purge -qqy troupe libtroupe0 libtroupe-dev python3-troupe pkg-config >/dev/null 2>&1; apt-get autoremove -qqy --purge >/dev/null'
files >"$root/tmp/troupe/after"
left=$(diff "$root/tmp/troupe/before" "$root/tmp/troupe/after" | grep '^>' || true)
if printf '%s' "$left" | grep -qi troupe; then
  printf 'after the purge there are still:\n%s\n' "$left" >&2
  exit 1
fi
say "purged; no file of Troupe is left"
