package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/deploy/dev/programs"
)

const (
	temporalPart      = "temporal"
	temporalNamespace = "default"
)

// Temporal returns the stack's kind of Temporal.
func (s *Stack) Temporal() programs.TemporalKind { return s.temporal }

// chooseTemporal returns the selected kind, or the kind of the stack's data: workflows of one
// kind are unknown to the other. Options.Env overrides the process's own environment, which
// selects the kind for all stacks of a test run.
func (s *Stack) chooseTemporal() (programs.TemporalKind, error) {
	asked := s.setting(programs.TemporalVariable, os.Getenv(programs.TemporalVariable))
	kind, err := programs.ParseTemporal(asked)
	if err != nil {
		return "", err
	}
	for file, had := range map[string]programs.TemporalKind{
		developmentFile: programs.TemporalDevelopment, dynamicConfigFile: programs.TemporalProduction,
	} {
		_, err := os.Stat(s.path("data", file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf("stack directory: %w", err)
		case asked != "" && kind != had:
			return "", fmt.Errorf("%w: this stack's workflows are in %q, not in %q; make down clean=1 forgets them",
				programs.ErrTemporalKind, had, kind)
		default:
			kind = had
		}
	}
	return kind, nil
}

func temporal(kind programs.TemporalKind) []part {
	if kind == programs.TemporalProduction {
		return []part{temporalServer(), temporalUI()}
	}
	return []part{temporalDevelopment()}
}

// SearchAttributes returns the search attributes of workflows, with their types.
func SearchAttributes() map[string]string {
	return map[string]string{
		"MerchantId": "Keyword", "ChargeStatus": "Keyword", "AmountXmr": "Keyword",
		"Sandbox": "Bool", "Stuck": "Bool", "PayoutStatus": "Keyword",
		"DeliveryStatus": "Keyword", "WalletId": "Keyword", "TradeStatus": "Keyword", "SwapStatus": "Keyword",
	}
}

// TemporalReady checks that a server has the namespace and search attributes that the services
// use.
func TemporalReady(ctx context.Context, address, namespace string) error {
	c, err := client.DialContext(ctx, clientOptions(address, namespace))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer c.Close()
	known, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("search attributes: %w", err)
	}
	for name := range SearchAttributes() {
		if _, ok := known.GetCustomAttributes()[name]; !ok {
			return fmt.Errorf("search attribute %s is not registered", name)
		}
	}
	return nil
}

func clientOptions(address, namespace string) client.Options {
	return client.Options{HostPort: address, Namespace: namespace, Logger: slog.New(slog.DiscardHandler)}
}

// developmentFile is the file with the workflows of the development server.
const developmentFile = "temporal.sqlite"

// temporalDevelopment is the development server with its web UI, on a SQLite
// file.
func temporalDevelopment() part {
	return part{
		name:     temporalPart,
		ports:    []port{{"temporal", 7233}, {"temporal-ui", 8233}},
		programs: []programs.Program{programs.Temporal},
		command:  temporalDevelopmentCommand,
		ready: func(ctx context.Context, s *Stack) error {
			return TemporalReady(ctx, s.Addr("temporal"), temporalNamespace)
		},
	}
}

// dynamicConfig are the settings of deploy/temporal/dynamic.yaml.
func dynamicConfig() []string {
	return []string{"matching.enableFairness=true", "matching.numTaskqueueReadPartitions=1", "matching.numTaskqueueWritePartitions=1"}
}

func temporalDevelopmentCommand(s *Stack) (command, error) {
	args := append(developmentServer(s.ports["temporal"], s.path("data", developmentFile), "NORMAL"),
		"--log-level", "warn", "--ui-port", strconv.Itoa(s.ports["temporal-ui"]), "--ui-codec-endpoint", s.codecURL())
	return command{args: args}, nil
}

// developmentServer returns the arguments of a development server on a port and a file.
func developmentServer(port int, file, synchronous string) []string {
	args := []string{
		"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(port), "--db-filename", file,
		// Without these two pragmas it is several times slower.
		"--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=" + synchronous,
	}
	// By default a development server reads the search attributes from its file each time that it
	// needs them: four of ten of its queries, one after the other.
	for _, setting := range append(dynamicConfig(), "system.forceSearchAttributesCacheRefreshOnRead=false") {
		args = append(args, "--dynamic-config-value", setting)
	}
	attributes := SearchAttributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		args = append(args, "--search-attribute", name+"="+attributes[name])
	}
	return args
}

// temporalUIURL is where browsers open the UI: through the worker, which asks for a login.
func (s *Stack) temporalUIURL() string { return s.url("worker-internal") }

// codecTokenFile is where the token is with which people and programs log in to the UI.
func (s *Stack) codecTokenFile() string { return filepath.Join(s.keysDir(""), "codec", "token") }

// codecURL returns the address at which the UI decrypts payloads.
func (s *Stack) codecURL() string { return s.url("worker-internal") + "/codec" }
