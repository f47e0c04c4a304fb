# Stand-in of distroless/static: certificates, time zones and names of users, no
# program at all.
FROM debian:bookworm-slim AS packages
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates netbase tzdata \
    && mkdir -p /root-of/etc/ssl /root-of/usr/share /root-of/home /root-of/var/tmp /root-of/tmp \
    && cp -R /etc/ssl/certs /root-of/etc/ssl/ \
    && cp -R /usr/share/zoneinfo /root-of/usr/share/ \
    && cp /etc/protocols /etc/services /etc/os-release /root-of/etc/ \
    && printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >/root-of/etc/passwd \
    && printf 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n' >/root-of/etc/group \
    && printf 'hosts: files dns\n' >/root-of/etc/nsswitch.conf \
    && install -d -o 65532 -g 65532 -m 0700 /root-of/home/nonroot \
    && chmod 1777 /root-of/tmp /root-of/var/tmp

FROM scratch
COPY --from=packages /root-of/ /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
USER 65532
WORKDIR /home/nonroot
