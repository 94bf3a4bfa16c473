#!/bin/sh
# Runs one replica of the app that the argument names, and stays to see how it ends: that a kill has hit is said by
# somebody else than the one it hit. The container ends with it, and Docker starts it again.
set -eu
export REPLICA="$1-$HOSTNAME"

# The servers on demand that were started: the services of docker-compose.yml that have these profiles.
case ",${COMPONENTS:-}," in *,redlock,*)
  export REDLOCK_URLS=redis://redis-1:6379,redis://redis-2:6379,redis://redis-3:6379,redis://redis-4:6379,redis://redis-5:6379 ;;
esac
case ",${COMPONENTS:-}," in *,replica,*) export REPLICATED_REDIS_URL=redis://primary:6379 ;; esac
case ",${COMPONENTS:-}," in *,zookeeper,*) export ZOOKEEPER_URL=zookeeper:2181 ;; esac
case ",${COMPONENTS:-}," in *,etcd,*) export ETCD_URL=http://etcd:2379 ;; esac

node "dist/apps/$1/src/main.js" &
pid=$!
trap 'kill -TERM $pid' TERM INT

# A signal ends the wait early: only the second one has seen the end.
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
