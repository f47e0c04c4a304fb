# Litecoin's daemon as Debian ships it, which checks it for us: see
# docs/operations.md, "Litecoin's release".
FROM debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
ARG DEBIAN_SNAPSHOT=20261115T000000Z
COPY --chmod=0755 debian/sources.sh /usr/local/sbin/
RUN sources.sh \
    && apt-get update \
    && apt-get install -y --no-install-recommends litecoind \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd -g 65532 durapay \
    && useradd -u 65532 -g durapay -M -d /nonexistent -s /usr/sbin/nologin durapay \
    && install -d -o durapay -g durapay -m 0700 /litecoin
COPY --chmod=0755 litecoin/ /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/start-litecoind.sh"]
