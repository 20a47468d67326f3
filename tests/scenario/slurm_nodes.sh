# A Slurm cluster of four nodes on this one host, on loopback, without systemd, in the folder $slurm; sourced.
# slurm_start: munged, slurmctld and four slurmd as this account; slurm_node N: starts node N (again); slurm_kill N.
slurm_programs="munged slurmctld slurmd sbatch scontrol squeue sinfo"
slurm_lacks() {
  for program in $slurm_programs; do PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "$program is not installed"; return; }; done
}
slurm_start() {
  PATH=$PATH:/usr/sbin
  mkdir -p "$slurm/state" "$slurm/munge"
  chmod 700 "$slurm/munge"
  dd if=/dev/urandom of="$slurm/munge/key" bs=128 count=1 2>/dev/null
  chmod 600 "$slurm/munge/key"
  port=${SLURM_DEMO_PORT:-$((20000 + $$ % 20000))}
  cat >"$slurm/slurm.conf" <<TEXT
ClusterName=demo
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool.%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=10
KillWait=2
MaxArraySize=10001
MaxJobCount=20000
JobRequeue=1
$(for n in 1 2 3 4; do echo "NodeName=node$n NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + n)) CPUs=1 State=UNKNOWN"; done)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
TEXT
  export SLURM_CONF="$slurm/slurm.conf"
  start "$slurm/munged.out" munged --foreground --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" \
    --pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" --num-threads=2
  until_true "munged did not come up" munge --socket="$slurm/munge/socket" -n
  start "$slurm/slurmctld.out" slurmctld -D -c -f "$SLURM_CONF"
  for n in 1 2 3 4; do slurm_node $n; done
  until_true "no four nodes" sh -c 'test "$(sinfo -h -N -t idle | wc -l)" = 4'
}
slurm_node() {
  mkdir -p "$slurm/spool.node$1"
  start "$slurm/slurmd.$1.out" slurmd -D -N "node$1" -f "$SLURM_CONF"
  eval "node$1=$!"
}
slurm_kill() {  # node: its daemon and all that runs there, as by a power cut
  eval "daemon=\$node$1"
  kill -9 "$daemon" 2>/dev/null || true
  for process in /proc/[0-9]*; do
    { tr '\0' '\n' <"$process/environ"; } >"$slurm/environ" 2>/dev/null || continue
    grep -qx "SLURMD_NODENAME=node$1" "$slurm/environ" && grep -qx "SLURM_CONF=$slurm/slurm.conf" "$slurm/environ" || continue
    step=$(sed -n 's/^PPid:[^0-9]*//p' "$process/status" 2>/dev/null || true)
    ! grep -q slurmstepd "/proc/$step/comm" 2>/dev/null || kill -9 "$step" 2>/dev/null || true
    kill -9 "${process#/proc/}" 2>/dev/null || true
  done
}
