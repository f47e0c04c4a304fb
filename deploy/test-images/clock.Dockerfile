# The installation's images with a clock that a file moves, CLOCK_FILE: that of
# a container is the machine's. The build context is a folder that e2e/production
# fills.
ARG DURAPAY=scratch
ARG POSTGRES=scratch
FROM ${DURAPAY} AS durapay
COPY --chmod=0755 durapay /usr/local/bin/durapay
ENV CLOCK_FILE=/clock/moved

FROM ${POSTGRES} AS postgres
RUN apt-get update \
    && apt-get install -y --no-install-recommends libfaketime \
    && rm -rf /var/lib/apt/lists/*
