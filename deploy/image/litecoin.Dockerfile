# Litecoin's daemon as Debian ships it, which checks it for us: see
# docs/operations.md, "Litecoin's release".
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends litecoind \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd -g 65532 durapay \
    && useradd -u 65532 -g durapay -M -d /nonexistent -s /usr/sbin/nologin durapay \
    && install -d -o durapay -g durapay -m 0700 /litecoin
COPY --chmod=0755 litecoin/ /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/start-litecoind.sh"]
