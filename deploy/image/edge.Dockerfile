# Caddy as Debian ships it; the configuration is mounted from deploy/edge.
FROM debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f
ARG DEBIAN_SNAPSHOT=20261115T000000Z
COPY --chmod=0755 debian/sources.sh /usr/local/sbin/
RUN sources.sh \
    && apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates caddy \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd -g 65532 durapay \
    && useradd -u 65532 -g durapay -M -d /nonexistent -s /usr/sbin/nologin durapay \
    && install -d -o durapay -g durapay -m 0700 /data
USER 65532:65532
ENTRYPOINT ["/usr/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
