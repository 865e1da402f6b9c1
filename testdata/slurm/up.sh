#!/bin/sh
# A Slurm of one controller and two nodes, n1 and n2, on this machine, for tests: as root,
# without systemd, with Debian's slurm-wlm and munge. up.sh DIR up with three ports puts
# everything into DIR; up.sh DIR down ends it.
set -e
dir=$1
host=$(hostname -s)
if [ "$2" = down ]; then
	for f in slurmctld.pid slurmd.n1.pid slurmd.n2.pid munged.pid; do
		if [ -s "$dir/$f" ]; then kill "$(cat "$dir/$f")" 2>/dev/null || true; fi
	done
	exit 0
fi
mkdir -p "$dir/state" "$dir/munge"
dd if=/dev/urandom of="$dir/munge/key" bs=1024 count=1 2>/dev/null
chown -R munge "$dir/munge"
chmod 400 "$dir/munge/key"
chmod 755 "$dir" "$dir/munge"
# munged refuses folders that others may write to.
runuser -u munge -- munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed"
cp "$dir/munge/pid" "$dir/munged.pid"
node() { echo "NodeName=$1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=2 State=UNKNOWN"; }
cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$3
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=15
JobRequeue=1
SchedulerParameters=sched_interval=2,batch_sched_delay=1,requeue_delay=1
MinJobAge=60
$(node n1 "$4")
$(node n2 "$5")
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$dir/slurm.conf"
slurmctld
slurmd -N n1
slurmd -N n2
for i in $(seq 60); do
	if [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = 2 ]; then exit 0; fi
	sleep 0.5
done
sinfo
exit 1
