#!/bin/sh
# Four processes under a real Slurm with two nodes, each in a network namespace of its own: they find their roles and each
# other, train to the end, and on SIGTERM end in good order with exit code 75.
#
# usage: tests/cluster/slurm.sh TROUPE TOOLS      TOOLS: a folder with upns.sh and down.sh, which bring such a Slurm up
#
# Exit code 77, skipped: no root, no Slurm (Debian: munge slurmctld slurmd slurm-client), or no such folder.
troupe=$(realpath "$1") tools=$2
if [ "$(id -u)" != 0 ] || ! command -v slurmctld >/dev/null || [ ! -x "$(command -v ip)" ] || [ ! -f "$tools/upns.sh" ]; then
  echo "slurm: skipped, it needs root, slurmctld, slurmd, munge, ip, and a folder that brings up two nodes"
  exit 77
fi

S=$(mktemp -d /tmp/troupe-slurm-XXXX)
export S SLURM_CONF="$S/slurm.conf" TROUPE_TOKEN=of-this-test
chmod 0755 "$S"
end() {
  bash "$tools/down.sh" >/dev/null 2>&1
  for node in n1 n2; do
    ip netns del $node
    rm -rf /etc/netns/$node
  done 2>/dev/null
  ip link del br77 2>/dev/null
  rm -rf "$S"
}
trap end EXIT
broken() {
  echo "slurm: BROKEN: $1" >&2
  tail -n 40 "$S/out" >&2
  exit 1
}

bash "$tools/upns.sh" >"$S/up" 2>&1 || { cat "$S/up"; exit 77; }
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && break
  sleep 1
done
"$troupe" certs init "$S/certs" >/dev/null && "$troupe" certs node "$S/certs" node >/dev/null || exit 1
cd "$S" || exit 1
small="problem.train=2000 problem.validation=200 problem.test=200 training.seed=7"

# shellcheck disable=SC2086 # words
timeout 60 srun -N2 -n4 "$troupe" node --certs certs --name node $small training.epochs=3 >out 2>&1 \
  || broken "four processes did not train to their end"
[ "$(grep -c '3 epochs are done' out)" = 4 ] || broken "not all four trained three epochs"
grep -q 'n1:[0-9]*, in the process of rank 0' out || broken "the parameter holder is not where Slurm put rank 0"

# shellcheck disable=SC2086
timeout 60 srun -N2 -n2 "$troupe" node --certs certs --name node $small training.epochs=1000000 >out 2>&1 &
sleep 5
scancel --signal=TERM "$(squeue -h -o %i | head -n 1)"
wait $!
[ $? = 75 ] || broken "a job that was told to end did not end with 75"
echo "slurm: four processes on two nodes trained, and a job that was told to end ended in good order"
