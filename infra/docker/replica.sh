#!/bin/sh
# Runs one replica of the app named by the argument, and records its SIGKILL in the history, because the evidence of a kill
# must not come from the killed process. The container ends with the replica, and Docker restarts it.
set -eu
export REPLICA="$1-$HOSTNAME"

# Addresses of the components that were started: the services of docker-compose.yml with these profiles.
case ",${COMPONENTS:-}," in *,redlock,*)
  export REDLOCK_URLS=redis://redis-1:6379,redis://redis-2:6379,redis://redis-3:6379,redis://redis-4:6379,redis://redis-5:6379 ;;
esac
case ",${COMPONENTS:-}," in *,replica,*) export REPLICATED_REDIS_URL=redis://primary:6379 ;; esac
case ",${COMPONENTS:-}," in *,zookeeper,*) export ZOOKEEPER_URL=zookeeper:2181 ;; esac
case ",${COMPONENTS:-}," in *,etcd,*) export ETCD_URL=http://etcd:2379 ;; esac
case ",${COMPONENTS:-}," in *,gateway,*) export GATEWAY_URL=http://gateway:3000 ;; esac

node "dist/apps/$1/src/main.js" &
pid=$!
trap 'kill -TERM $pid' TERM INT

# A signal interrupts `wait`, so it is repeated until the process has exited.
while kill -0 $pid 2>/dev/null; do
  code=0
  wait $pid || code=$?
done

if [ "$code" = 137 ] && [ "$LAB_ENABLED" = true ]; then
  node -e '
    const [replica, pid] = process.argv.slice(1);
    const t = Number(process.hrtime.bigint() / 1000n);
    const line = { type: "exit", t, replica, pid: Number(pid), code: null, signal: "SIGKILL" };
    fs.appendFileSync(`${process.env.HISTORY_DIR}/supervisor-${replica}.jsonl`, `${JSON.stringify(line)}\n`);
  ' "$REPLICA" $pid
fi
exit "$code"
