package stack

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// developmentFile is the file with the workflows of the development server.
const developmentFile = "temporal.sqlite"

// temporalDevelopment is the development server with its web UI, on a SQLite
// file.
func temporalDevelopment() part {
	return part{
		name:     temporalPart,
		ports:    []port{{"temporal", 7233}, {"temporal-ui", 8233}},
		programs: []programs.Program{programs.Temporal()},
		command:  temporalDevelopmentCommand,
		ready: func(ctx context.Context, s *Stack) error {
			return TemporalReady(ctx, s.Addr("temporal"), temporalNamespace)
		},
		env: func(s *Stack) map[string]string {
			env := temporalEnv(s)
			maps.Copy(env, s.temporalUIEnv())
			return env
		},
	}
}

// fairness makes merchants take turns if more work waits than workers have slots, see
// workflows.TurnOf.
const fairness = "matching.enableFairness=true"

func temporalDevelopmentCommand(s *Stack) (command, error) {
	path, err := programs.Temporal().Find(s.root)
	args := []string{
		"server", "start-dev", "--ip", "127.0.0.1", "--log-level", "warn",
		"--port", strconv.Itoa(s.ports["temporal"]),
		"--ui-port", strconv.Itoa(s.ports["temporal-ui"]),
		"--db-filename", s.path("data", developmentFile),
		// Without these two pragmas it is several times slower.
		"--sqlite-pragma", "journal_mode=WAL",
		"--sqlite-pragma", "synchronous=NORMAL",
		"--dynamic-config-value", fairness,
		"--ui-codec-endpoint", s.codecURL(),
	}
	attributes := SearchAttributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		args = append(args, "--search-attribute", name+"="+attributes[name])
	}
	return command{path: path, args: args}, err
}

// temporalUIURL is where browsers open the UI: through the worker, which asks for a login.
func (s *Stack) temporalUIURL() string { return s.url("worker-internal") }

// codecTokenFile is where the token is with which people and programs log in to the UI.
func (s *Stack) codecTokenFile() string { return filepath.Join(s.keysDir(""), "codec", "token") }

// temporalUIEnv is where the UI is, and what it asks for.
func (s *Stack) temporalUIEnv() map[string]string {
	return map[string]string{"TEMPORAL_UI_URL": s.temporalUIURL(), "CODEC_TOKEN_FILE": s.codecTokenFile()}
}

// codecURL returns the address at which the UI decrypts payloads.
func (s *Stack) codecURL() string { return s.url("worker-internal") + "/codec" }
