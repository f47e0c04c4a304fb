# Stand-ins of Temporal's three images: the programs and start scripts of their
# own Go modules, on a shell and tools like those of the real ones. The build
# context is a folder that e2e/production fills for each.
FROM debian:bookworm-slim AS shell
RUN apt-get update \
    && apt-get install -y --no-install-recommends busybox ca-certificates netcat-openbsd tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && ln -s /bin/busybox /usr/local/bin/wget \
    && ln -sf /bin/busybox /bin/sh \
    && groupadd -g 1000 temporal \
    && useradd -u 1000 -g temporal -m -s /bin/sh temporal

FROM shell AS server
COPY --chmod=0755 temporal-server /usr/local/bin/
COPY --chmod=0755 entrypoint.sh /etc/temporal/entrypoint.sh
WORKDIR /etc/temporal
USER temporal
CMD ["/etc/temporal/entrypoint.sh"]

FROM shell AS admin-tools
COPY --chmod=0755 temporal temporal-sql-tool /usr/local/bin/
USER temporal
CMD ["sh", "-c", "trap exit INT HUP TERM; sleep infinity"]

FROM shell AS ui
WORKDIR /home/ui-server
COPY --chmod=0755 --chown=temporal:temporal temporal-ui ./ui-server
COPY --chmod=0755 --chown=temporal:temporal start-ui-server.sh ./
COPY --chown=temporal:temporal docker.yaml ./config/
USER temporal
EXPOSE 8080
ENTRYPOINT ["./start-ui-server.sh"]
