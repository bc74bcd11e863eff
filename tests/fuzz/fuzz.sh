#!/bin/sh
# Fuzzes the parsers of external input, each for SECONDS: docs/how-to/fuzzing.md.
#
# usage: tests/fuzz/fuzz.sh [SECONDS [PARSER...]]      60 seconds, all parsers
#
# Builds build/fuzz. Useful inputs are kept in build/fuzz/corpus/PARSER, and the next run starts
# from them; inputs
# that cause findings in build/fuzz/findings/PARSER. Ends with 1 if there are any.
#
#   TROUPE_JOBS=1      number of parsers at once (default: one per core)
set -u
cd "$(dirname "$0")/../.." || exit
. .ci/setup.sh

seconds=${1:-60}
[ $# -gt 0 ] && shift
case $seconds in
  '' | *[!0-9]*) fail "'$seconds' is not a number of seconds; usage: tests/fuzz/fuzz.sh [SECONDS [PARSER...]]" ;;
esac
# shellcheck disable=SC2086 # lists of words
install_missing $build_packages $check_packages
configure fuzz && cmake --build build/fuzz --parallel "$jobs" --target troupe_fuzz -- ${quiet:+"$quiet"} || exit
fuzz=$PWD/build/fuzz/tests/fuzz/troupe_fuzz
[ $# -gt 0 ] || set -- $("$fuzz" --parsers)

export LSAN_OPTIONS="suppressions=$PWD/tests/checks/leaks.supp:print_suppressions=0" UBSAN_OPTIONS=print_stacktrace=1
cd build/fuzz || exit
for parser in "$@"; do
  mkdir -p "corpus/$parser" "findings/$parser"
done
printf '%s\n' "$@" | xargs -P "$jobs" -I{} sh -c "'$fuzz' --parser={} -max_total_time=$seconds -timeout=20 -rss_limit_mb=2048 \
  -malloc_limit_mb=512 -print_final_stats=1 -artifact_prefix=findings/{}/ corpus/{} >findings/{}/log 2>&1"

found=
for parser in "$@"; do
  log=findings/$parser/log
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  reached=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  line="$parser: ${runs:-no} runs, ${reached:-no} branches"
  for input in "findings/$parser"/*-*; do
    [ -e "$input" ] && found="$found $input"
  done
  say "$line"
done
[ -z "$found" ] || fail "findings; reproduce them with $fuzz --parser=PARSER FILE:$found"
