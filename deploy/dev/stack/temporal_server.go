package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/durapay/durapay/deploy/dev/programs"
)

const (
	// dynamicConfigFile is the server's dynamic configuration. It exists only in a stack with
	// the production server.
	dynamicConfigFile = "temporal-server.yaml"
	// historyShards and retention are those of docker-compose.yml.
	historyShards = "512"
	retention     = 7 * 24 * time.Hour
	// temporalPassword is the name of the role's password in the scripts of containers.
	temporalPassword = "temporal-db-password"
)

// temporalServer is the production server with its four services in one process, as
// docker-compose.yml runs it, but without certificates.
func temporalServer() part {
	return part{
		name:     temporalPart,
		needs:    []string{"postgres"},
		ports:    slices.Collect(maps.Values(temporalPorts())),
		programs: []programs.Program{programs.TemporalServer, programs.TemporalSQLTool},
		prepare:  prepareTemporalServer,
		command:  temporalServerCommand,
		ready: func(ctx context.Context, s *Stack) error {
			c, err := client.DialContext(ctx, clientOptions(s.Addr("temporal"), temporalNamespace))
			if err == nil {
				c.Close()
			}
			return err
		},
		settle: settleTemporalServer,
	}
}

// temporalPorts returns the server's ports by the variables that set them.
func temporalPorts() map[string]port {
	return map[string]port{
		"FRONTEND_GRPC_PORT": {"temporal", 7233}, "FRONTEND_HTTP_PORT": {"temporal-http", 7243}, "FRONTEND_MEMBERSHIP_PORT": {"temporal-members", 6933},
		"HISTORY_GRPC_PORT": {"temporal-history", 7234}, "HISTORY_MEMBERSHIP_PORT": {"temporal-history-members", 6934},
		"MATCHING_GRPC_PORT": {"temporal-matching", 7235}, "MATCHING_MEMBERSHIP_PORT": {"temporal-matching-members", 6935},
		"WORKER_GRPC_PORT": {"temporal-worker", 7239}, "WORKER_MEMBERSHIP_PORT": {"temporal-worker-members", 6939},
	}
}

func temporalServerCommand(s *Stack) (command, error) {
	env := map[string]string{
		"DB": "postgres12", "POSTGRES_SEEDS": "127.0.0.1", "DB_PORT": strconv.Itoa(s.ports["postgres"]),
		"POSTGRES_USER": "temporal", "POSTGRES_PWD": s.secret(temporalPassword),
		"BIND_ON_IP": "127.0.0.1", "NUM_HISTORY_SHARDS": historyShards, "LOG_LEVEL": "warn",
		"DYNAMIC_CONFIG_FILE_PATH": s.path("data", dynamicConfigFile),
	}
	for variable, p := range temporalPorts() {
		env[variable] = strconv.Itoa(s.ports[p.name])
	}
	return command{args: []string{"--allow-no-auth", "start"}, env: env}, nil
}

// prepareTemporalServer creates the two databases and updates them to the server's schema,
// with the script that containers run.
func prepareTemporalServer(ctx context.Context, s *Stack) error {
	if r, ok := s.record(temporalPart); ok && r.alive() {
		return nil // the running server uses them
	}
	if err := s.makeSecret(temporalPassword); err != nil {
		return err
	}
	if err := s.makeDatabases(ctx, "temporal", temporalPassword, "temporal", "temporal_visibility"); err != nil {
		return err
	}
	tool, err := programs.TemporalSQLTool.Find(s.root)
	if err != nil {
		return err
	}
	script := exec.CommandContext(ctx, "/bin/sh", filepath.Join(s.root, "deploy", "temporal", "schema.sh"))
	script.Env = command{env: map[string]string{
		"PATH":        filepath.Dir(tool) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"SECRETS_DIR": s.path("secrets"), "POSTGRES_SEEDS": "127.0.0.1", "DB_PORT": strconv.Itoa(s.ports["postgres"]),
	}}.environ()
	if err := run(script, "schema"); err != nil {
		return err
	}
	settings, err := os.ReadFile(filepath.Join(s.root, "deploy", "temporal", "dynamic.yaml"))
	if err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	return writeFile(s.path("data", dynamicConfigFile), settings)
}

// settleTemporalServer creates the namespace with its search attributes, and waits until the
// whole server knows it.
func settleTemporalServer(ctx context.Context, s *Stack) error {
	c, err := client.DialContext(ctx, clientOptions(s.Addr("temporal"), temporalNamespace))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer c.Close()
	_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: temporalNamespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err != nil && !exists {
		return fmt.Errorf("namespace: %w", err)
	}
	attributes := map[string]enums.IndexedValueType{}
	for name, kind := range SearchAttributes() {
		if attributes[name], err = enums.IndexedValueTypeFromString(kind); err != nil {
			return fmt.Errorf("search attribute %s: %w", name, err)
		}
	}
	for {
		ready := TemporalReady(ctx, s.Addr("temporal"), temporalNamespace)
		if ready == nil {
			return nil
		}
		// The whole server knows a namespace only some seconds after its creation.
		_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: temporalNamespace, SearchAttributes: attributes,
		})
		if pause(ctx, 200*time.Millisecond) != nil {
			return errors.Join(ready, err)
		}
	}
}

// temporalUI is the web UI of Temporal's production server. The development server has its
// own.
func temporalUI() part {
	return part{
		name:     "temporal-ui",
		needs:    []string{temporalPart},
		ports:    []port{{"temporal-ui", 8233}},
		programs: []programs.Program{programs.TemporalUI},
		files:    true,
		command:  temporalUICommand,
		ready:    answers("temporal-ui", "/healthz"),
	}
}

func temporalUICommand(s *Stack) (command, error) {
	settings := fmt.Sprintf(`temporalGrpcAddress: %s
host: 127.0.0.1
port: %d
enableUi: true
defaultNamespace: %s
disableNewsFetch: true
hideLogs: true
cors:
  cookieInsecure: true
  allowOrigins: ["%s"]
codec:
  endpoint: %s
  includeCredentials: true
`, s.Addr("temporal"), s.ports["temporal-ui"], temporalNamespace, s.url("worker-internal"), s.codecURL())
	folder := s.path("data", "temporal-ui")
	// The server looks for the configuration folder below the root.
	args := []string{"--root", "/", "--config", strings.TrimPrefix(folder, "/"), "start"}
	return command{args: args}, writeFile(filepath.Join(folder, "development.yaml"), []byte(settings))
}
