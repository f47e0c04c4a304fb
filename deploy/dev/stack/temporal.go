package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/durapay/durapay/deploy/dev/programs"
)

const (
	temporalPart      = "temporal"
	temporalNamespace = "default"
	// temporalVariable selects the kind of Temporal.
	temporalVariable = programs.TemporalVariable
)

// Temporal returns the stack's kind of Temporal.
func (s *Stack) Temporal() programs.TemporalKind { return s.temporal }

// chooseTemporal returns the selected kind, or the kind of the stack's data: workflows of one
// kind are unknown to the other. Options.Env overrides the process's own environment, which
// selects the kind for all stacks of a test run.
func (s *Stack) chooseTemporal() (programs.TemporalKind, error) {
	asked := s.setting(temporalVariable, os.Getenv(temporalVariable))
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

// temporalEnv returns the settings with which clients find Temporal.
func temporalEnv(s *Stack) map[string]string {
	return map[string]string{"TEMPORAL_ADDRESS": s.Addr("temporal"), "TEMPORAL_NAMESPACE": temporalNamespace}
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
	return client.Options{
		HostPort: address, Namespace: namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	}
}
