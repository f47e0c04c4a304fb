// Package helm checks the chart in deploy/helm: its tests render it with Helm's own engine and
// decode the result strictly with Kubernetes' own types. It is a separate module, so that
// Durapay depends on neither.
package helm

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const root = "../.."

// objects are the objects that a chart creates, by kind and name.
type objects map[string]any

// values returns the minimum values that the chart requires, with more of them.
func values(t *testing.T, more string) map[string]any {
	t.Helper()
	var merged, own map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(`
image: {repository: registry.example/durapay}
publicURL: https://pay.example.com
database: {url: "postgres://durapay@postgres:5432/durapay?passfile=/secrets/database/pgpass"}
temporal: {address: "temporal:7233"}
monerod: {url: "http://monerod:18089"}
`), &merged))
	require.NoError(t, yaml.Unmarshal([]byte(more), &own))
	return chartutil.CoalesceTables(own, merged)
}

// everything turns on all optional parts of the chart.
const everything = `
imagePullSecrets: [{name: registry}]
nodeSelector: {disk: ssd}
tolerations: [{key: dedicated, operator: Exists}]
proxy: {address: "tor:9050"}
monerod: {zmqAddress: "monerod:18083"}
stagenet: {url: "http://monerod-stagenet:38089", zmqAddress: "monerod-stagenet:38083"}
settings: {TRUSTED_PROXIES: 10.0.0.0/8, CONFIRMATIONS_REQUIRED: 5}
temporal: {buildID: v0.1.0}
exchange: {enabled: true, publicURL: "https://swap.example.com", pairs: "xmr:Mainnet>ltc:Mainnet=0.05:20:1"}
onion: {enabled: true, merchantURL: "http://a.onion", swapURL: "http://b.onion"}
worker:
  settings: {SMTP_HOST: mail.example.com}
  volumes: [{name: mail, secret: {secretName: mail}}]
  volumeMounts: [{name: mail, mountPath: /own/mail, readOnly: true}]
  podAnnotations: {prometheus.io/scrape: "true"}
networkPolicy:
  clients: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: edge}}}]
  operators: [{ipBlock: {cidr: 10.1.0.0/16}}]
  tor: [{podSelector: {matchLabels: {app: tor}}}]
  database: [{podSelector: {matchLabels: {app: postgres}}}]
  temporal: [{podSelector: {matchLabels: {app: temporal}}}]
  wallets: [{podSelector: {matchLabels: {app: monero}}}]
`

func render(t *testing.T, values map[string]any) (objects, error) {
	t.Helper()
	chart, err := loader.Load(filepath.Join(root, "deploy/helm"))
	require.NoError(t, err)
	require.NoError(t, chart.Validate())
	top, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "pay", Namespace: "durapay", IsInstall: true}, nil)
	require.NoError(t, err)
	files, err := engine.Engine{Strict: true}.Render(chart, top)
	if err != nil {
		return nil, err
	}
	made := objects{}
	for name, file := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, manifest := range releaseutil.SplitManifests(file) {
			decode(t, made, name, manifest)
		}
	}
	return made, nil
}

// decode refuses a field, a kind or a version that Kubernetes does not know.
func decode(t *testing.T, into objects, file, manifest string) {
	t.Helper()
	var kind metav1.PartialObjectMetadata
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &kind), "%s:\n%s", file, manifest)
	types := map[string]any{
		"apps/v1/Deployment": &appsv1.Deployment{}, "batch/v1/Job": &batchv1.Job{}, "v1/Service": &corev1.Service{},
		"networking.k8s.io/v1/NetworkPolicy": &networkingv1.NetworkPolicy{}, "policy/v1/PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
	}
	object, known := types[kind.APIVersion+"/"+kind.Kind]
	require.True(t, known, "%s: %s %s", file, kind.APIVersion, kind.Kind)
	require.NoError(t, yaml.UnmarshalStrict([]byte(manifest), object), "%s:\n%s", file, manifest)
	key := kind.Kind + " " + kind.Name
	require.NotContains(t, into, key)
	into[key] = object
}

func must(t *testing.T, more string) objects {
	t.Helper()
	made, err := render(t, values(t, more))
	require.NoError(t, err)
	return made
}

// pods returns the templates of all pods, by component.
func (o objects) pods() map[string]corev1.PodTemplateSpec {
	list := map[string]corev1.PodTemplateSpec{}
	for _, object := range o {
		switch object := object.(type) {
		case *appsv1.Deployment:
			list[object.Spec.Template.Labels["app.kubernetes.io/component"]] = object.Spec.Template
		case *batchv1.Job:
			list[object.Spec.Template.Labels["app.kubernetes.io/component"]] = object.Spec.Template
		}
	}
	return list
}

func TestTheChartMakesWhatItShould(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, []string{
		"Deployment pay-merchant-api", "Service pay-merchant-api", "PodDisruptionBudget pay-merchant-api", "NetworkPolicy pay-merchant-api",
		"Deployment pay-worker", "Service pay-worker", "PodDisruptionBudget pay-worker", "NetworkPolicy pay-worker",
		"Job pay-migrate", "NetworkPolicy pay-migrate",
	}, slices.Collect(maps.Keys(must(t, ""))))
	all := must(t, everything)
	for _, kind := range []string{"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"} {
		require.Contains(t, all, kind+" pay-swap-api")
	}
	require.NotContains(t, must(t, "worker: {replicas: 1}"), "PodDisruptionBudget pay-worker", "it would keep a node from being emptied")
	require.NotContains(t, must(t, "networkPolicy: {enabled: false}"), "NetworkPolicy pay-worker")
}

// TestTheDeskIsBehindAPortOfTheService checks that the operators' desk is reached through a
// tunnel to the service's internal port, as docs/kubernetes.md shows.
func TestTheDeskIsBehindAPortOfTheService(t *testing.T) {
	t.Parallel()
	made := must(t, "")
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	require.NoError(t, err)
	for _, port := range made["Service pay-merchant-api"].(*corev1.Service).Spec.Ports {
		if port.Name != "internal" {
			continue
		}
		require.Contains(t, string(page), fmt.Sprintf("kubectl port-forward service/pay-merchant-api 9091:%d\n", port.Port))
		for _, container := range made.pods()["merchant-api"].Spec.Containers[0].Ports {
			if container.Name == port.TargetPort.StrVal {
				require.Equal(t, port.Port, container.ContainerPort)
				return
			}
		}
	}
	require.Fail(t, "nothing leads there")
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]string{
		"image.repository": "image: {repository: null}", "publicURL": "publicURL: null", "database.url": "database: {url: null}",
		"temporal.address": "temporal: {address: null}", "monerod.url": "monerod: {url: null}",
		"exchange.pairs":     "exchange: {enabled: true, publicURL: https://swap.example.com}",
		"exchange.publicURL": "exchange: {enabled: true, pairs: x}",
		"networkPolicy.tor":  "onion: {enabled: true}",
		"stagenet.url":       "stagenet: {zmqAddress: x}",
	} {
		_, err := render(t, values(t, without))
		require.ErrorContains(t, err, name)
	}
	_, err := render(t, values(t, strings.Replace(everything, "networkPolicy:", "networkPolicy:\n  enabled: false", 1)))
	require.ErrorContains(t, err, "networkPolicy.enabled", "an onion listener takes any circuit from whoever reaches it")
}

func TestMigrationsGoBeforeWhatNeedsThem(t *testing.T) {
	t.Parallel()
	job, ok := must(t, "")["Job pay-migrate"].(*batchv1.Job)
	require.True(t, ok)
	require.Equal(t, "pre-install,pre-upgrade", job.Annotations["helm.sh/hook"])
	require.Contains(t, job.Annotations["helm.sh/hook-delete-policy"], "before-hook-creation", "a job cannot be changed")
	require.Equal(t, []string{"migrate"}, job.Spec.Template.Spec.Containers[0].Args)
	for _, volume := range job.Spec.Template.Spec.Volumes {
		require.NotContains(t, volume.Name, "keys-")
	}
}

func TestPodsAreConfined(t *testing.T) {
	t.Parallel()
	for component, pod := range must(t, everything).pods() {
		spec := pod.Spec
		require.False(t, *spec.AutomountServiceAccountToken, component)
		require.False(t, *spec.EnableServiceLinks, component)
		require.True(t, *spec.SecurityContext.RunAsNonRoot, component)
		require.EqualValues(t, 65532, *spec.SecurityContext.RunAsUser, component)
		require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, spec.SecurityContext.SeccompProfile.Type)
		require.Len(t, spec.Containers, 1)
		container := spec.Containers[0]
		require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
		require.False(t, *container.SecurityContext.AllowPrivilegeEscalation)
		require.Equal(t, []corev1.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop)
		require.Equal(t, "registry.example/durapay:0.1.0", container.Image)
		volumes := map[string]bool{}
		for _, volume := range spec.Volumes {
			volumes[volume.Name] = true
			if volume.Secret != nil && volume.Name != "mail" {
				require.EqualValues(t, 0o440, *volume.Secret.DefaultMode)
			}
		}
		for _, mount := range container.VolumeMounts {
			require.True(t, volumes[mount.Name], "%s: %s", component, mount.Name)
			require.True(t, mount.ReadOnly || mount.Name == "tmp", mount.Name)
		}
		require.Len(t, container.VolumeMounts, len(volumes))
	}
	pinned := must(t, "image: {digest: sha256:abc}").pods()["worker"]
	require.Equal(t, "registry.example/durapay@sha256:abc", pinned.Spec.Containers[0].Image)
}

// Kubernetes would accept a selector that matches nothing.
func TestSelectorsAndPortsFitThePods(t *testing.T) {
	t.Parallel()
	made := must(t, everything)
	pods := made.pods()
	matches := func(selector map[string]string) corev1.PodTemplateSpec {
		t.Helper()
		pod, known := pods[selector["app.kubernetes.io/component"]]
		require.True(t, known, "%v", selector)
		require.Subset(t, pod.Labels, selector)
		return pod
	}
	ports := func(pod corev1.PodTemplateSpec) map[string]int32 {
		list := map[string]int32{}
		for _, port := range pod.Spec.Containers[0].Ports {
			list[port.Name] = port.ContainerPort
		}
		return list
	}
	for _, object := range made {
		switch object := object.(type) {
		case *appsv1.Deployment:
			pod := matches(object.Spec.Selector.MatchLabels)
			require.Equal(t, object.Spec.Template.Labels, pod.Labels)
			require.Zero(t, object.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue())
			container := pod.Spec.Containers[0]
			for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
				require.Contains(t, ports(pod), probe.HTTPGet.Port.StrVal)
			}
			require.Equal(t, "/livez", container.LivenessProbe.HTTPGet.Path)
			require.Equal(t, "/readyz", container.ReadinessProbe.HTTPGet.Path)
		case *corev1.Service:
			pod := matches(object.Spec.Selector)
			for _, port := range object.Spec.Ports {
				require.Equal(t, port.Port, ports(pod)[port.TargetPort.StrVal], "%s %s", object.Name, port.Name)
			}
			require.Len(t, object.Spec.Ports, len(ports(pod)))
		case *policyv1.PodDisruptionBudget:
			matches(object.Spec.Selector.MatchLabels)
			require.Equal(t, 1, object.Spec.MaxUnavailable.IntValue())
		case *networkingv1.NetworkPolicy:
			pod := matches(object.Spec.PodSelector.MatchLabels)
			require.Len(t, object.Spec.PolicyTypes, 2)
			for _, rule := range object.Spec.Ingress {
				require.NotEmpty(t, rule.From, "an empty list is everybody")
				require.Len(t, rule.Ports, 1)
				require.Contains(t, ports(pod), rule.Ports[0].Port.StrVal)
			}
			for _, rule := range object.Spec.Egress {
				require.True(t, len(rule.To) > 0 || len(rule.Ports) == 2, "all but names goes to somebody")
			}
		}
	}
}

// TestNetworkPolicies checks the allowed connections: only the worker reaches the wallets, and
// only Tor reaches the onion listeners.
func TestNetworkPolicies(t *testing.T) {
	t.Parallel()
	made := must(t, everything)
	reaches := func(component, app string) bool {
		policy, ok := made["NetworkPolicy pay-"+component].(*networkingv1.NetworkPolicy)
		require.True(t, ok)
		return slices.ContainsFunc(policy.Spec.Egress, func(rule networkingv1.NetworkPolicyEgressRule) bool {
			return slices.ContainsFunc(rule.To, func(peer networkingv1.NetworkPolicyPeer) bool {
				return peer.PodSelector != nil && peer.PodSelector.MatchLabels["app"] == app
			})
		})
	}
	for component, want := range map[string][]bool{ // postgres, temporal, tor, monero
		"worker": {true, true, true, true}, "merchant-api": {true, true, true, false}, "swap-api": {true, true, true, false},
		"migrate": {true, false, false, false},
	} {
		for i, app := range []string{"postgres", "temporal", "tor", "monero"} {
			require.Equal(t, want[i], reaches(component, app), "%s to %s", component, app)
		}
	}
	lets := map[string]string{}
	for _, component := range []string{"worker", "merchant-api", "swap-api", "migrate"} {
		policy, ok := made["NetworkPolicy pay-"+component].(*networkingv1.NetworkPolicy)
		require.True(t, ok)
		var list []string
		for _, rule := range policy.Spec.Ingress {
			list = append(list, rule.Ports[0].Port.StrVal)
			if rule.Ports[0].Port.StrVal == "onion" {
				require.Equal(t, "tor", rule.From[0].PodSelector.MatchLabels["app"])
			}
		}
		lets[component] = strings.Join(list, " ")
	}
	require.Equal(t, map[string]string{
		"worker": "internal", "merchant-api": "internal public onion", "swap-api": "internal public onion", "migrate": "",
	}, lets)
	alone, ok := must(t, "")["NetworkPolicy pay-merchant-api"].(*networkingv1.NetworkPolicy)
	require.True(t, ok)
	require.Empty(t, alone.Spec.Ingress, "nobody comes in whom the values do not name")
}

// TestKeysAreThoseOfCompose checks that both installations give a service the same keys.
func TestKeysAreThoseOfCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	require.NoError(t, err)
	var compose map[string]any
	require.NoError(t, yaml.Unmarshal(text, &compose))
	services, ok := compose["services"].(map[string]any)
	require.True(t, ok)
	for component, pod := range must(t, everything).pods() {
		var want, got []string
		service, ok := services[component].(map[string]any)
		require.True(t, ok, component)
		list, _ := service["volumes"].([]any)
		for _, volume := range list {
			if target, ok := volume.(map[string]any)["target"].(string); ok && strings.HasPrefix(target, "/keys/") && !strings.HasPrefix(target, "/keys/temporal") {
				want = append(want, target)
			}
		}
		for _, mount := range pod.Spec.Containers[0].VolumeMounts {
			if strings.HasPrefix(mount.MountPath, "/keys/") {
				got = append(got, mount.MountPath)
			}
		}
		require.ElementsMatch(t, want, got, component)
	}
}

// The services would ignore a setting that they do not know.
func TestSettingsAreKnown(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs/operations.md"))
	require.NoError(t, err)
	for component, pod := range must(t, everything).pods() {
		env := map[string]string{}
		for _, variable := range pod.Spec.Containers[0].Env {
			require.NotContains(t, env, variable.Name)
			env[variable.Name] = variable.Value
			require.Contains(t, string(text), fmt.Sprintf("\n| `%s` |", variable.Name))
		}
		require.Equal(t, "5", env["CONFIRMATIONS_REQUIRED"], "a number is text, too")
		require.Equal(t, component == "worker", env["SMTP_HOST"] != "")
		require.Equal(t, component == "worker", env["CODEC_TOKEN_FILE"] != "")
		require.Equal(t, []string{"wallet", "http://monerod-stagenet:38089"}, []string{env["SANDBOX_CHAIN"], env["SANDBOX_MONEROD_RPC_URL"]})
		require.Equal(t, component == "worker", env["SANDBOX_MONEROD_ZMQ_ADDRESS"] != "")
	}
	merged := must(t, "settings: {SIGNUP: open}\nmerchantAPI: {settings: {SIGNUP: closed}}").pods()
	signup := func(component string) string {
		for _, variable := range merged[component].Spec.Containers[0].Env {
			if variable.Name == "SIGNUP" {
				return variable.Value
			}
		}
		return ""
	}
	require.Equal(t, "closed", signup("merchant-api"), "what is of the service alone goes first")
	require.Equal(t, "open", signup("worker"))
}
