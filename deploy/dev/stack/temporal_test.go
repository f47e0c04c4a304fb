package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/durapay/durapay/deploy/dev/programs"
)

func TestAStackKeepsTheTemporalThatHasItsWorkflows(t *testing.T) {
	t.Parallel()
	server := map[string]string{programs.TemporalVariable: string(programs.TemporalProduction)}
	for file, kind := range map[string]programs.TemporalKind{
		developmentFile: programs.TemporalDevelopment, dynamicConfigFile: programs.TemporalProduction,
	} {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(dir+"/data", 0o700))
		require.NoError(t, os.WriteFile(dir+"/data/"+file, nil, 0o600))
		s, err := Open(Options{Dir: dir, Private: true})
		require.NoError(t, err)
		require.Equal(t, kind, s.Temporal())
		require.Equal(t, kind == programs.TemporalProduction, s.has("temporal-ui"))
		require.NoError(t, s.Stop())

		s, err = Open(Options{Dir: dir, Private: true, Env: server})
		if kind == programs.TemporalDevelopment {
			require.ErrorIs(t, err, programs.ErrTemporalKind)
			require.ErrorContains(t, err, "clean=1")
			continue
		}
		require.NoError(t, err)
		_, err = s.files(temporalPart)
		require.ErrorContains(t, err, "PostgreSQL")
		require.NoError(t, s.Stop())
	}
	_, err := Open(Options{Dir: t.TempDir(), Private: true, Env: map[string]string{programs.TemporalVariable: "other"}})
	require.ErrorIs(t, err, programs.ErrTemporalKind)
}

func TestWhatIsInstalledIsWhatThePartsNeed(t *testing.T) {
	t.Parallel()
	for _, kind := range []programs.TemporalKind{programs.TemporalDevelopment, programs.TemporalProduction} {
		want := map[string]bool{programs.Chromium.Name: true}
		for _, p := range Programs(kind) {
			want[p.Name] = true
		}
		got := map[string]bool{}
		for _, p := range programs.Servers(kind) {
			got[p.Name] = true
		}
		require.Equal(t, want, got)
	}
}

func TestAPartThatWasNotSettledIsStartedAgain(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Dir: t.TempDir(), Private: true})
	require.NoError(t, err)
	tries := 0
	cutOff := errors.New("cut off")
	p := part{
		name:    "sleeper",
		command: func(*Stack) (command, error) { return command{path: "/bin/sleep", args: []string{"600"}}, nil },
		settle: func(context.Context, *Stack) error {
			if tries++; tries == 1 {
				return cutOff
			}
			return nil
		},
	}
	require.ErrorIs(t, s.ensure(t.Context(), p), cutOff)
	first, _ := s.record(p.name)
	require.NoError(t, s.ensure(t.Context(), p))
	second, _ := s.record(p.name)
	require.NotEqual(t, first.PID, second.PID)
	require.False(t, first.alive())
	require.NoError(t, s.ensure(t.Context(), p))
	third, _ := s.record(p.name)
	require.Equal(t, second, third, "what is ready stays")
	require.Equal(t, 2, tries)
	require.NoError(t, s.end(t.Context(), p))
	require.NoError(t, s.Stop())
}

func TestAPartThatDoesNotBecomeReadySaysWhy(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Dir: t.TempDir(), Private: true, ReadyTimeout: time.Second})
	require.NoError(t, err)
	p := part{
		name:    "sleeper",
		command: func(*Stack) (command, error) { return command{path: "/bin/sleep", args: []string{"600"}}, nil },
		ready:   func(context.Context, *Stack) error { return errors.New("a wallet is in safe mode") },
	}
	require.ErrorContains(t, s.ensure(t.Context(), p), "not ready: a wallet is in safe mode")
	r, _ := s.record(p.name)
	require.True(t, r.alive(), "it goes on: an operator may end the safe mode")
	require.NoError(t, s.end(t.Context(), p))
	require.NoError(t, s.Stop())
}

func TestOperatorsCommandsRunOnTheStack(t *testing.T) {
	t.Parallel()
	SkipShort(t)
	dir := t.TempDir()
	s, err := Open(Options{Dir: dir, Parts: []string{"worker"}, Private: true, Env: map[string]string{"LOG_LEVEL": "WARN"}})
	require.NoError(t, err)
	_, err = s.Admin(t.Context(), "payouts", "list")
	require.ErrorContains(t, err, "make up")
	require.NoError(t, s.Up(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop()) })

	// Another process knows neither the settings nor the addresses.
	other, err := Open(Options{Dir: dir, Parts: []string{"worker"}, Private: true})
	require.NoError(t, err)
	cmd, err := other.Admin(t.Context(), "invite", "create")
	require.NoError(t, err)
	require.Contains(t, cmd.Env, "LOG_LEVEL=WARN", "as the worker was started")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd, err = other.Admin(t.Context(), "audit")
	require.NoError(t, err)
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "invite")
	require.NoError(t, other.block.Close())
}

// Both servers have the settings of deploy/temporal/dynamic.yaml.
func TestTheDevelopmentServerHasTheSettingsOfTheProductionServer(t *testing.T) {
	t.Parallel()
	root, err := repository()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "deploy", "temporal", "dynamic.yaml"))
	require.NoError(t, err)
	var settings map[string][]struct{ Value any }
	require.NoError(t, yaml.Unmarshal(text, &settings))
	var list []string
	for name, values := range settings {
		require.Len(t, values, 1, name)
		list = append(list, fmt.Sprintf("%s=%v", name, values[0].Value))
	}
	require.ElementsMatch(t, list, dynamicConfig())
}
