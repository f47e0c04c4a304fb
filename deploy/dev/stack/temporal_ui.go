package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// temporalUI is the web UI of Temporal's production server. The development server has its
// own.
func temporalUI() part {
	return part{
		name:     "temporal-ui",
		needs:    []string{temporalPart},
		ports:    []port{{"temporal-ui", 8233}},
		programs: []programs.Program{programs.TemporalUI()},
		prepare:  prepareTemporalUI,
		command: func(s *Stack) (command, error) {
			path, err := programs.TemporalUI().Find(s.root)
			// The server looks for the configuration folder below the root.
			return command{path: path, args: []string{"--root", "/", "--config", strings.TrimPrefix(s.temporalUIDir(), "/"), "start"}}, err
		},
		ready: func(ctx context.Context, s *Stack) error { return ok(ctx, s.url("temporal-ui")+"/healthz") },
		env: func(s *Stack) map[string]string {
			return s.temporalUIEnv()
		},
	}
}

func (s *Stack) temporalUIDir() string { return s.path("data", "temporal-ui") }

func prepareTemporalUI(_ context.Context, s *Stack) error {
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
	return errors.Join(
		os.MkdirAll(s.temporalUIDir(), 0o700),
		writeFile(s.temporalUIDir()+"/development.yaml", []byte(settings)))
}
