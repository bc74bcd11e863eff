#!/bin/sh
# Four processes under a real Slurm with two nodes, each in its own network namespace: they find
# their roles and each
# other, train to the end, and on SIGTERM end in good order with exit code 75. With --requeue, which
# takes a minute, also: a
# job ends before its time is over, and continues where it was when it is requeued, also after a
# kill.
#
# usage: tests/cluster/slurm.sh TROUPE TOOLS [--requeue]
#   TOOLS: a folder with upns.sh and down.sh, which start and stop such a Slurm
#
# Exit code 77, skipped: no root, no Slurm (Debian: munge slurmctld slurmd slurm-client), or no such folder.
troupe=$(realpath "$1") tools=$2
if [ "$(id -u)" != 0 ] || ! command -v slurmctld >/dev/null || [ ! -x "$(command -v ip)" ] || [ ! -f "$tools/upns.sh" ]; then
  echo "slurm: skipped, it needs root, slurmctld, slurmd, munge, ip, and a folder with scripts that start two nodes"
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
  for link in v1 v2 br77; do ip link del $link; done 2>/dev/null # else they disappear only a while after their other ends
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
[ $? = 75 ] || broken "a job that was asked to end did not end with 75"
[ "${3:-}" = --requeue ] || {
  echo "slurm: four processes on two nodes trained, and a job that was asked to end ended in good order"
  exit
}

# The job has a minute, and cluster.grace leaves 45 s of it unused.
printf '#!/bin/sh\nexec srun %s node --certs %s --name node %s >>%s 2>&1\n' "$troupe" "$S/certs" \
  "$small training.epochs=1000000 cluster.grace=45 extensions.checkpoint.every_n_seconds=1" "$S/queued" >job.sh
queued() { squeue -h -o %T | head -n 1; }
until_it_is() {
  for _ in $(seq 1 "$2"); do
    [ "$(queued)" = "$1" ] && return
    sleep 1
  done
  tail -n 40 queued >out
  broken "the job is '$(queued)', not '$1', after $2 s"
}
batches() { sed -n 's/^trained .* epochs, \([0-9]*\) batches.*/\1/p' queued | tail -n 1; }
job=$(sbatch --parsable --requeue -o "$S/batch" -N2 -n2 -t 1 job.sh)
until_it_is RUNNING 10
until_it_is "" 40
[ "$(grep -c 'the time of the job is nearly used up' queued)" -ge 2 ] || broken "the job was not drained before its end"
first=$(batches)
[ "${first:-0}" -gt 0 ] || broken "the job trained nothing before it was drained"

scontrol requeue "$job" && until_it_is PENDING 10 && scontrol update jobid="$job" StartTime=now
until_it_is RUNNING 10
sleep 4
scontrol requeue "$job" # which kills it
until_it_is PENDING 20
scontrol update jobid="$job" StartTime=now
until_it_is RUNNING 10
until_it_is "" 40
second=$(batches)
[ "$second" -gt "$first" ] || broken "the job that came back has trained $second batches, no more than $first before"
echo "slurm: drained after $first batches, requeued, killed, requeued, drained after $second"
