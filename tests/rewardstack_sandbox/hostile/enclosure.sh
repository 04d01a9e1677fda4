#!/bin/sh
# Runs a command in throwaway namespaces: users, processes, mounts, network, shared memory. Nothing in it outlives it,
# and what it can write is gone with it. Usage: enclosure.sh SECONDS COMMAND...
seconds=$1
shift
mkdir -p /tmp/rewards-canary /tmp/rewards-home
exec timeout -s KILL "$seconds" unshare -Urnpimf --mount-proc --kill-child sh -c '
    set -e
    mount -t tmpfs -o size=64m tmpfs /tmp/rewards-canary
    mount -t tmpfs -o size=64m tmpfs /tmp/rewards-home
    mount -t tmpfs -o size=1100m tmpfs /dev/shm
    ip link set lo up
    ulimit -c 0
    REWARDS_ENCLOSED=1 HOME=/tmp/rewards-home
    export REWARDS_ENCLOSED HOME
    exec "$@"
' enclosure "$@"
