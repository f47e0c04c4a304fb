# Stand-in of postgres: PostgreSQL 17 as Debian 13 ships it, with the user, the
# folders and the start of the official image.
FROM debian:trixie-slim
RUN groupadd -r -g 999 postgres \
    && useradd -r -u 999 -g postgres -d /var/lib/postgresql -s /bin/bash postgres \
    && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql \
    && apt-get update \
    && apt-get install -y --no-install-recommends gosu postgresql-common \
    && sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
    && apt-get install -y --no-install-recommends postgresql-17 \
    && rm -rf /var/lib/apt/lists/* \
    && sed -i "s/^#*listen_addresses.*/listen_addresses = '*'/" /usr/share/postgresql/17/postgresql.conf.sample \
    && install -d -o postgres -g postgres -m 3777 /var/run/postgresql \
    && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data
ENV LANG=C.UTF-8 PGDATA=/var/lib/postgresql/data PATH=/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY --chmod=0755 start.sh /usr/local/bin/docker-entrypoint.sh
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
EXPOSE 5432
CMD ["postgres"]
