#!/usr/bin/env bash
# slurm - starts a real Slurm of one node on this machine, for any user and beside other instances,
# with all its files in one folder, without systemd and cgroups. Debian's package is slurm-wlm.
# usage: tools/slurm.sh start FOLDER [CPUS]    (default 2 CPUs, regardless of the machine)
#        tools/slurm.sh cut FOLDER             (kills node and jobs like a power cut; restarts it)
#        tools/slurm.sh stop FOLDER
# With SLURM_CONF=FOLDER/slurm.conf, sbatch, squeue and the other commands use it.
set -euo pipefail
PATH=$PATH:/usr/sbin

fail()
{
    echo "slurm.sh: $*" >&2
    exit 1
}

# Prints two ports at which no process listens.
find_ports()
{
    local port=$((20000 + RANDOM % 10000)) found=0
    while [ $found -lt 2 ]; do
        port=$((port + 1))
        if ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo $port
            found=$((found + 1))
        fi
    done
}

# Writes slurm.conf with the least that one machine needs. A requeued job waits cred_expire seconds.
write_configuration()
{
    local user node ports
    user=$(id -un)
    node=$(hostname -s)
    mapfile -t ports < <(find_ports)
    cat >"$SLURM_CONF" <<END
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge.socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=30
NodeName=$node NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=16384
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
}

start_munge()
{
    (umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
    munged --force --socket "$folder/munge.socket" --key-file "$folder/munge.key" \
        --pid-file "$folder/munge.pid" --log-file "$folder/munge.log" \
        --seed-file "$folder/munge.seed" 2>"$folder/munge.said"
}

# Runs a command every tenth of a second until it succeeds; fails after half a minute.
until_true()
{
    local begun=$SECONDS
    while [ $((SECONDS - begun)) -lt 30 ]; do
        if "$@" 2>/dev/null; then
            return
        fi
        sleep 0.1
    done
    tail --lines=3 "$folder"/*.log >&2
    fail "no success within half a minute: $*"
}

is_up()
{
    timeout 5 sinfo --noheader --format %T | grep -qE '^(idle|mixed|allocated)$'
}

# Prints the processes of all jobs, and their parents, which supervise them.
list_processes()
{
    local pid
    for pid in $({ scontrol listpids 2>/dev/null || true; } | awk '$1 + 0 > 1 { print $1 }'); do
        echo "$pid"
        awk '/^PPid:/ && $2 > 1 { print $2 }' "/proc/$pid/status" 2>/dev/null || true
    done | sort -u
}

has_no_processes()
{
    [ -z "$(list_processes)" ]
}

# end NAME: ends munge, slurmctld or slurmd, if it runs, and waits for its end.
end()
{
    local pid
    if pid=$(cat "$folder/$1.pid" 2>/dev/null) && kill "$pid" 2>/dev/null; then
        until_true eval "! kill -0 $pid"
    fi
}

end_all()
{
    end slurmd
    end slurmctld
    end munge
}

start()
{
    local program
    for program in munged slurmctld slurmd sbatch; do
        command -v $program >/dev/null || fail "$program: is missing; install slurm-wlm"
    done
    mkdir -p "$folder/state" "$folder/spool"
    trap end_all EXIT
    write_configuration
    start_munge || fail "munged does not start: $(tail -n 1 "$folder/munge.said")"
    slurmctld -i || fail "slurmctld does not start: $(tail -n 1 "$folder/slurmctld.log")"
    slurmd || fail "slurmd does not start: $(tail -n 1 "$folder/slurmd.log")"
    until_true is_up
    trap - EXIT
}

# Kills the node's daemon and all jobs, marks the node as down, as the controller does if a node
# does not answer, and starts it again.
cut()
{
    kill -KILL "$(cat "$folder/slurmd.pid")"
    list_processes | xargs -r kill -KILL
    scontrol update nodename="$(hostname -s)" state=down reason=cut
    slurmd
    until_true is_up
}

stop()
{
    timeout 10 scancel --quiet --me || true
    until_true has_no_processes
    end_all
}

case "$#:${1-}" in
2:start | 3:start | 2:cut | 2:stop) ;;
*)
    sed -n '2,7s/^# //p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cpus=${3:-2}
export SLURM_CONF=$folder/slurm.conf
"$1"
