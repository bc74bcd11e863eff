#!/bin/sh
# Four processes on two nodes: sbatch examples/cluster/slurm.sh run.yaml
# Before the first job: troupe certs init certs && troupe certs node certs node
#SBATCH --job-name=troupe
#SBATCH --nodes=2
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=2
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --signal=SIGUSR1@120
#SBATCH --open-mode=append
set -eu
# The same secret for all processes of the job, also after it is requeued.
token=certs/token-$SLURM_JOB_ID
[ -s "$token" ] || (umask 077 && openssl rand -hex 16 >"$token")
TROUPE_TOKEN=$(cat "$token")
export TROUPE_TOKEN
srun troupe node --certs certs --name node --no-progress "$@"
