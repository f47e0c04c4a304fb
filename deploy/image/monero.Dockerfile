# The release of getmonero.org, with the hashes of its signed list. Before you
# raise the version, check the list: docs/operations.md, "Monero's release".
FROM debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f AS release
ARG DEBIAN_SNAPSHOT=20261115T000000Z
COPY --chmod=0755 debian/sources.sh /usr/local/sbin/
ARG MONERO_VERSION=0.18.5.3
ARG SHA256_AMD64=3333d0e04c9cbe3023e7e2b6dd369c407f36bb8df5b05fb0a19d7685b3d56dfc
ARG SHA256_ARM64=1490114f795ad2f67f57bc8d167c3e2539e9f173fc46f02f70ef4abf685f8c66
ARG TARGETARCH
RUN sources.sh \
    && apt-get update \
    && apt-get install -y --no-install-recommends bzip2 ca-certificates curl \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /release
RUN set -eu; \
    case "$TARGETARCH" in \
        amd64) arch=x64; sum="$SHA256_AMD64" ;; \
        arm64) arch=armv8; sum="$SHA256_ARM64" ;; \
        *) echo "no hash for $TARGETARCH" >&2; exit 1 ;; \
    esac; \
    file="monero-linux-$arch-v$MONERO_VERSION.tar.bz2"; \
    curl -fsSLO "https://downloads.getmonero.org/cli/$file"; \
    echo "$sum  $file" | sha256sum -c -; \
    mkdir bin; \
    tar -xjf "$file" -C bin --strip-components=1 --no-same-owner; \
    install -m 0755 -t /usr/local/bin bin/monerod bin/monero-wallet-rpc bin/monero-wallet-cli

FROM debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f
ARG DEBIAN_SNAPSHOT=20261115T000000Z
COPY --chmod=0755 debian/sources.sh /usr/local/sbin/
RUN sources.sh \
    && apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd -g 65532 durapay \
    && useradd -u 65532 -g durapay -M -d /nonexistent -s /usr/sbin/nologin durapay \
    && install -d -o durapay -g durapay -m 0700 \
        /chain /wallets /wallets/live-spend /wallets/sandbox /wallets/exchange-spend
COPY --from=release /usr/local/bin/ /usr/local/bin/
COPY --chmod=0755 monero/ /usr/local/bin/
USER 65532:65532
