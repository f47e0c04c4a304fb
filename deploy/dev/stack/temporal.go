package stack

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/durapay/durapay/deploy/dev/programs"
)

const temporalNamespace = "default"

// temporal is the development server with its web UI, on a SQLite file.
func temporal() part {
	return part{
		name:     "temporal",
		ports:    []port{{"temporal", 7233}, {"temporal-ui", 8233}},
		programs: []programs.Program{programs.Temporal()},
		command:  temporalCommand,
		ready:    temporalReady,
		env: func(s *Stack) map[string]string {
			return map[string]string{
				"TEMPORAL_ADDRESS":   s.Addr("temporal"),
				"TEMPORAL_NAMESPACE": temporalNamespace,
				"TEMPORAL_UI_URL":    s.url("temporal-ui"),
			}
		},
	}
}

// SearchAttributes are what operators can find workflows by, with their types.
func SearchAttributes() map[string]string {
	return map[string]string{
		"MerchantId": "Keyword", "ChargeStatus": "Keyword", "AmountXmr": "Keyword",
		"Sandbox": "Bool", "Stuck": "Bool", "PayoutStatus": "Keyword",
		"DeliveryStatus": "Keyword", "WalletId": "Keyword", "TradeStatus": "Keyword", "SwapStatus": "Keyword",
	}
}

func temporalCommand(s *Stack) (command, error) {
	path, err := programs.Temporal().Find(s.root)
	args := []string{
		"server", "start-dev", "--ip", "127.0.0.1", "--log-level", "warn",
		"--port", strconv.Itoa(s.ports["temporal"]),
		"--ui-port", strconv.Itoa(s.ports["temporal-ui"]),
		"--db-filename", s.path("data", "temporal.sqlite"),
		// Without these two it is several times slower.
		"--sqlite-pragma", "journal_mode=WAL",
		"--sqlite-pragma", "synchronous=NORMAL",
		"--ui-codec-endpoint", s.url("worker-internal") + "/codec",
	}
	attributes := SearchAttributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		args = append(args, "--search-attribute", name+"="+attributes[name])
	}
	return command{path: path, args: args}, err
}

func temporalReady(ctx context.Context, s *Stack) error {
	return TemporalReady(ctx, s.Addr("temporal"), temporalNamespace)
}

// TemporalReady asks a server for what the services use: the namespace and its
// search attributes.
func TemporalReady(ctx context.Context, address, namespace string) error {
	c, err := client.DialContext(ctx, client.Options{
		HostPort: address, Namespace: namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
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
