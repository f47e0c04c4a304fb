{{- define "durapay.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: durapay
{{- end }}

{{- /* Takes (root, component). */ -}}
{{- define "durapay.selector" -}}
app.kubernetes.io/name: durapay
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* Takes (root, component). */ -}}
{{- define "durapay.name" -}}
{{ printf "%s-%s" (index . 0).Release.Name (index . 1) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "durapay.image" -}}
{{- $repository := required "image.repository: the registry's name of Durapay's image" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- /* Takes (root, component): the key folders that a service opens. */ -}}
{{- define "durapay.keys" -}}
{{- $folders := dict
  "merchant-api" (list "accounts" "sessions" "addresses" "webhooks" "viewkeys-seal" "payloads")
  "swap-api" (list "trades" "payloads")
  "worker" (list "accounts" "addresses" "webhooks" "payouts" "partners" "trades" "viewkeys" "payloads" "codec")
  "migrate" list -}}
{{- toJson (get $folders (index . 1)) -}}
{{- end }}

{{- /* Takes (root, component, settings of the component alone). */ -}}
{{- define "durapay.env" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $v := $root.Values -}}
{{- $env := dict
  "DATABASE_URL" (required "database.url: where PostgreSQL is" $v.database.url)
  "TEMPORAL_ADDRESS" (required "temporal.address: where Temporal's frontend is" $v.temporal.address)
  "TEMPORAL_NAMESPACE" $v.temporal.namespace
  "TEMPORAL_UI_URL" (ternary $v.temporal.uiURL "none" (ne $v.temporal.uiUpstream ""))
  "KEYS_DIR" "/keys"
  "MONEROD_RPC_URL" (required "monerod.url: where the daemon is" $v.monerod.url)
  "WALLETS_FILE" "/etc/durapay/wallets.json"
  "PUBLIC_URL" (required "publicURL: the base URL that customers see" $v.publicURL)
  "MERCHANT_LISTEN" "0.0.0.0:8080"
  "INTERNAL_LISTEN" "0.0.0.0:9090"
  "SIGNUP" "invite"
  "STEP_UP" "on"
  "PAYOUT_ADDRESS_HOLD" "24h"
-}}
{{- if $v.temporal.tlsSecret -}}
{{- $_ := set $env "TEMPORAL_TLS_CA_FILE" "/secrets/temporal/ca.pem" -}}
{{- $_ := set $env "TEMPORAL_TLS_CERT_FILE" "/secrets/temporal/cert.pem" -}}
{{- $_ := set $env "TEMPORAL_TLS_KEY_FILE" "/secrets/temporal/key.pem" -}}
{{- end -}}
{{- if and $v.monerod.zmqAddress (eq $component "worker") -}}
{{- $_ := set $env "MONEROD_ZMQ_ADDRESS" $v.monerod.zmqAddress -}}
{{- end -}}
{{- if $v.stagenet.url -}}
{{- $_ := set $env "SANDBOX_CHAIN" "wallet" -}}
{{- $_ := set $env "SANDBOX_MONEROD_RPC_URL" $v.stagenet.url -}}
{{- if and $v.stagenet.zmqAddress (eq $component "worker") -}}
{{- $_ := set $env "SANDBOX_MONEROD_ZMQ_ADDRESS" $v.stagenet.zmqAddress -}}
{{- end -}}
{{- else if $v.stagenet.zmqAddress -}}
{{- fail "stagenet.url: where the daemon is that publishes at stagenet.zmqAddress" -}}
{{- end -}}
{{- if $v.proxy.address -}}
{{- $_ := set $env "SOCKS5_PROXY" $v.proxy.address -}}
{{- end -}}
{{- if eq $component "worker" -}}
{{- $_ := set $env "CODEC_TOKEN_FILE" "/keys/codec/token" -}}
{{- $_ := set $env "TEMPORAL_UI_UPSTREAM" $v.temporal.uiUpstream -}}
{{- if $v.temporal.buildID -}}
{{- $_ := set $env "WORKER_BUILD_ID" $v.temporal.buildID -}}
{{- end -}}
{{- end -}}
{{- if $v.exchange.enabled -}}
{{- $_ := set $env "EXCHANGE_WALLETS_FILE" "/etc/durapay/exchange-wallets.json" -}}
{{- $_ := set $env "EXCHANGE_PAIRS" (required "exchange.pairs: the directions that are swapped" $v.exchange.pairs) -}}
{{- $_ := set $env "SWAP_PUBLIC_URL" (required "exchange.publicURL: the exchange's base URL" $v.exchange.publicURL) -}}
{{- $_ := set $env "SWAP_LISTEN" "0.0.0.0:8081" -}}
{{- end -}}
{{- if $v.onion.enabled -}}
{{- $_ := set $env "ONION_URL" $v.onion.merchantURL -}}
{{- $_ := set $env "MERCHANT_ONION_LISTEN" "0.0.0.0:8082" -}}
{{- if $v.exchange.enabled -}}
{{- $_ := set $env "SWAP_ONION_URL" $v.onion.swapURL -}}
{{- $_ := set $env "SWAP_ONION_LISTEN" "0.0.0.0:8083" -}}
{{- end -}}
{{- end -}}
{{- $env = merge (dict) (index . 2) $v.settings $env -}}
{{- range $name := keys $env | sortAlpha }}
- name: {{ $name }}
  value: {{ get $env $name | toString | quote }}
{{- end }}
{{- end }}

{{- /* Takes (root, component, values of the component): a pod's spec without
what is of its controller alone. */ -}}
{{- define "durapay.pod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $own := index . 2 -}}
{{- $v := $root.Values -}}
{{- $keys := include "durapay.keys" (list $root $component) | fromJsonArray -}}
{{- $service := ne $component "migrate" -}}
automountServiceAccountToken: false
# Variables of services of the same namespace would be taken for settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- with $v.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with $v.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with $v.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
containers:
  - name: {{ $component }}
    image: {{ include "durapay.image" $root | quote }}
    imagePullPolicy: {{ $v.image.pullPolicy }}
    args: [{{ $component }}]
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
    env:
      {{- include "durapay.env" (list $root $component $own.settings) | nindent 6 }}
    {{- with $own.resources }}
    resources: {{ toJson . }}
    {{- end }}
    {{- if $service }}
    ports:
      - {name: internal, containerPort: 9090}
      {{- if eq $component "merchant-api" }}
      - {name: public, containerPort: 8080}
      {{- if $v.onion.enabled }}
      - {name: onion, containerPort: 8082}
      {{- end }}
      {{- end }}
      {{- if eq $component "swap-api" }}
      - {name: public, containerPort: 8081}
      {{- if $v.onion.enabled }}
      - {name: onion, containerPort: 8083}
      {{- end }}
      {{- end }}
    # A wallet that has much to scan, or a daemon that starts, keeps a service
    # from being ready; it is not a reason to kill it.
    startupProbe:
      httpGet: {path: /livez, port: internal}
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: {path: /livez, port: internal}
      periodSeconds: 15
      timeoutSeconds: 5
      failureThreshold: 4
    readinessProbe:
      httpGet: {path: /readyz, port: {{ ternary "internal" "public" (eq $component "worker") }}}
      periodSeconds: 10
      timeoutSeconds: 12
      failureThreshold: 3
    {{- end }}
    volumeMounts:
      - {name: tmp, mountPath: /tmp}
      - {name: database, mountPath: /secrets/database, readOnly: true}
      {{- if $service }}
      {{- if $v.temporal.tlsSecret }}
      - {name: temporal, mountPath: /secrets/temporal, readOnly: true}
      {{- end }}
      - {name: wallet-list, mountPath: /etc/durapay, readOnly: true}
      {{- end }}
      {{- if eq $component "worker" }}
      - {name: wallet-files, mountPath: /run/secrets, readOnly: true}
      {{- end }}
      {{- range $keys }}
      - {name: keys-{{ . }}, mountPath: /keys/{{ . }}, readOnly: true}
      {{- end }}
      {{- with $own.volumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir: {medium: Memory, sizeLimit: 64Mi}
  - name: database
    secret: {secretName: {{ $v.database.secret }}, defaultMode: 0440}
  {{- if $service }}
  {{- with $v.temporal.tlsSecret }}
  - name: temporal
    secret: {secretName: {{ . }}, defaultMode: 0440}
  {{- end }}
  - name: wallet-list
    secret: {secretName: {{ $v.wallets.list }}, defaultMode: 0440}
  {{- end }}
  {{- if eq $component "worker" }}
  - name: wallet-files
    secret: {secretName: {{ $v.wallets.files }}, defaultMode: 0440}
  {{- end }}
  {{- range $keys }}
  - name: keys-{{ . }}
    secret: {secretName: {{ get $v.keys . }}, defaultMode: 0440}
  {{- end }}
  {{- with $own.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* Takes (root, component, values of the component). */ -}}
{{- define "durapay.deployment" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $own := index . 2 -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "durapay.name" (list $root $component) }}
  labels:
    {{- include "durapay.labels" $root | nindent 4 }}
    {{- include "durapay.selector" (list $root $component) | nindent 4 }}
spec:
  replicas: {{ $own.replicas }}
  selector:
    matchLabels:
      {{- include "durapay.selector" (list $root $component) | nindent 6 }}
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  template:
    metadata:
      labels:
        {{- include "durapay.labels" $root | nindent 8 }}
        {{- include "durapay.selector" (list $root $component) | nindent 8 }}
      {{- with $own.podAnnotations }}
      annotations: {{ toJson . }}
      {{- end }}
    spec:
      terminationGracePeriodSeconds: 60
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "durapay.selector" (list $root $component) | nindent 14 }}
      {{- include "durapay.pod" . | nindent 6 }}
{{- if gt (int $own.replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "durapay.name" (list $root $component) }}
  labels:
    {{- include "durapay.labels" $root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "durapay.selector" (list $root $component) | nindent 6 }}
{{- end }}
{{- end }}

{{- /* Takes (root, component, ports by name). */ -}}
{{- define "durapay.service" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "durapay.name" (list $root $component) }}
  labels:
    {{- include "durapay.labels" $root | nindent 4 }}
spec:
  selector:
    {{- include "durapay.selector" (list $root $component) | nindent 4 }}
  ports:
    {{- range $name, $port := index . 2 }}
    - {name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }}}
    {{- end }}
{{- end }}
