#!/bin/sh
# The layers' includes point one way, model <- messages <- actors, extensions <- apps, and the model knows no actors; torch/,
# which is loaded by itself, knows the model only, and nobody else knows libtorch.
# Names the files in which a second idea may have settled; that alone is no failure.
#
# usage: structure_test.sh [CHECKOUT]
cd "${1:-.}" || exit 2
status=0

# forbid LAYER FOLDER...: no file of LAYER includes anything from the folders
forbid() {
  layer=$1
  shift
  folders=$(echo "$*" | tr ' ' '|')
  if grep -rnE --include='*.[hc]pp' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<](troupe/)?($folders)/" "$layer"; then
    echo "^ $layer/ must not include anything from: $*"
    status=1
  fi
}

for layer in model messages actors extensions apps torch; do
  [ -d "$layer" ] || { echo "there is no folder '$layer' in $PWD" && exit 2; }
done
libtorch="torch ATen c10"
forbid model caf messages actors extensions apps tests bench $libtorch
forbid messages actors extensions apps tests bench $libtorch
forbid actors extensions apps tests bench $libtorch
forbid extensions actors apps tests bench $libtorch
forbid apps tests bench $libtorch
forbid torch caf messages actors extensions apps tests bench

# Relative includes would pass by the above; the project's headers are included as "troupe/<layer>/<file>".
if grep -rnE --include='*.[hc]pp' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' model messages actors extensions apps torch \
  | grep -vE '"troupe/'; then
  echo '^ write "troupe/<layer>/<file>.hpp"'
  status=1
fi

find model messages actors extensions apps torch tests -name '*.[hc]pp' -exec wc -l {} + \
  | awk '$1 > 300 && $2 != "total" { print "over 300 lines: " $2 " (" $1 ")" }'
exit $status
