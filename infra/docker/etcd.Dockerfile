# etcd 3.4 from Debian, the same package that libs/stack runs.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends etcd-server etcd-client \
  && rm -rf /var/lib/apt/lists/*
ENV ETCDCTL_API=3
EXPOSE 2379
CMD ["etcd"]
