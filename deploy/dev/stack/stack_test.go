package stack

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// withoutServices returns the parts that need no program of this repository.
func withoutServices() []string {
	return []string{
		"postgres", "temporal", "monerod", "tor", "wallet-customer",
		"wallet-spend",
	}
}

func TestPartsSurviveBeingKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := ForTest(t, Options{Parts: withoutServices()})

	requireFunded(t, s)
	row(t, s, "CREATE TABLE kept AS SELECT 42 AS answer; SELECT answer FROM kept")
	before := s.Env()
	for _, name := range []string{"postgres", "temporal", "monerod", "wallet-customer"} {
		require.NoError(t, s.Kill(name), name)
		require.ErrorContains(t, s.Kill(name), "does not run")
	}
	require.NotContains(t, s.Env(), "PID_POSTGRES")

	require.NoError(t, s.Up(ctx))
	after := s.Env()
	require.NotEqual(t, before["PID_POSTGRES"], after["PID_POSTGRES"])
	require.Equal(t, before["PID_WALLET_SPEND"], after["PID_WALLET_SPEND"], "a healthy part stays")
	require.Equal(t, before["DATABASE_URL"], after["DATABASE_URL"], "a part comes back where it was")
	row(t, s, "SELECT answer FROM kept")
	requireFunded(t, s)
}

func TestPauseRestartAndStop(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := ForTest(t, Options{Parts: []string{"postgres", "tor"}})

	require.NoError(t, s.Pause("postgres"))
	require.False(t, s.Status(ctx)[0].Ready, "a paused part does no work")
	require.NoError(t, s.Resume("postgres"))
	require.NoError(t, s.WaitReady(ctx, "postgres"))

	old := s.Env()["PID_TOR"]
	require.NoError(t, s.Restart(ctx, "tor"))
	require.NotEqual(t, old, s.Env()["PID_TOR"])

	require.Equal(t, []string{"postgres", "tor"}, s.Running())
	require.NoError(t, s.StopPart(ctx, "tor"))
	require.NotContains(t, s.Env(), "PID_TOR")
	require.Equal(t, []string{"postgres"}, s.Running())
	require.NoError(t, s.StartPart(ctx, "tor"))

	another, err := Open(Options{Dir: s.Dir(), Parts: []string{"postgres", "tor"}, Private: true})
	require.NoError(t, err)
	require.Equal(t, s.Env(), another.Env(), "another process finds the same parts")
	require.NoError(t, another.Stop())
	require.Empty(t, s.Env())
	require.NoFileExists(t, s.recordFile("postgres"))
}

func TestAFailingPartIsNamedWithItsLog(t *testing.T) {
	t.Parallel()
	SkipShort(t)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(dir+"/data", 0o755))
	require.NoError(t, os.WriteFile(dir+"/data/tor", nil, 0o600), "a file where a directory should be")
	_, err := Start(t.Context(), Options{Dir: dir, Parts: []string{"tor"}, Private: true})
	require.ErrorContains(t, err, "tor: ")

	_, err = Open(Options{Dir: t.TempDir(), Parts: []string{"nonsense"}})
	require.ErrorIs(t, err, ErrUnknownPart)
}

func TestAProcessThatEndsAtOnceIsReportedWithItsLog(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Dir: t.TempDir(), Private: true})
	require.NoError(t, err)
	p := part{name: "quitter", ready: func(context.Context, *Stack) error { return errEnded }}
	err = s.start(t.Context(), p, command{
		path: "/bin/sh", args: []string{"-c", "echo last words; exit 3"}, dir: s.dir,
	})
	require.ErrorIs(t, err, errEnded)
	require.ErrorContains(t, err, "last words")
	require.NoError(t, s.Stop())
}

func TestAnotherProcessWithTheSameIDIsNotSignalled(t *testing.T) {
	t.Parallel()
	sleeper := exec.CommandContext(t.Context(), "sleep", "600")
	require.NoError(t, sleeper.Start())
	t.Cleanup(func() { _ = sleeper.Wait() })
	own := process{PID: sleeper.Process.Pid, Started: startTime(sleeper.Process.Pid)}
	stale := process{PID: own.PID, Started: "1"}

	require.False(t, stale.alive())
	require.NoError(t, stale.signal(9))
	require.True(t, own.alive())
}

func TestStacksThatStartAtTheSameTimeHaveOtherPorts(t *testing.T) {
	t.Parallel()
	given := map[int]bool{}
	for range 2 {
		s, err := Open(Options{Dir: t.TempDir()})
		require.NoError(t, err)
		for name, number := range s.ports {
			require.False(t, given[number], name)
			given[number] = true
		}
		t.Cleanup(func() { require.NoError(t, s.Stop()) })
	}
}

func TestPartsHaveDistinctNamesAndPorts(t *testing.T) {
	t.Parallel()
	for _, kind := range []programs.TemporalKind{programs.TemporalDevelopment, programs.TemporalProduction} {
		names, ports := map[string]bool{}, map[int]bool{}
		for _, p := range parts(kind) {
			require.False(t, names[p.name], p.name)
			names[p.name] = true
			for _, port := range p.ports {
				require.False(t, ports[port.usual] || names[":"+port.name], port.name)
				ports[port.usual], names[":"+port.name] = true, true
			}
			for _, need := range p.needs {
				require.True(t, names[need], "%s must be listed before %s", need, p.name)
			}
		}
	}
}

func TestTheEnvFileCanBeSourced(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/env"
	env := map[string]string{"PLAIN": "http://127.0.0.1:1/?a=b", "ODD": `it's $HOME; "x" & y`}
	require.NoError(t, os.WriteFile(file, []byte(shell(env)), 0o600))
	require.Contains(t, shell(env), "PLAIN=http://127.0.0.1:1/?a=b\n", "nothing is quoted without need")

	script := `. "$0"; printf '%s|%s' "$PLAIN" "$ODD"`
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script, file).Output()
	require.NoError(t, err)
	require.Equal(t, env["PLAIN"]+"|"+env["ODD"], string(out))
}

func TestSettingsReachTheServices(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Dir: t.TempDir(), Private: true, Env: map[string]string{
		"CONFIRMATIONS_REQUIRED": "7", "SOMETHING_ELSE": "yes",
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	env := s.serviceEnv("worker")
	require.Equal(t, "7", env["CONFIRMATIONS_REQUIRED"], "the caller wins over the default")
	require.Equal(t, "static", env["PRICE_SOURCES"])
	require.Equal(t, s.Addr("worker-internal"), env["INTERNAL_LISTEN"])

	given := command{env: env, inherited: s.options.Env}
	require.Contains(t, given.environ(), "SOMETHING_ELSE=yes")
	s.options.Env["CONFIRMATIONS_REQUIRED"] = "8"
	changed := command{env: s.serviceEnv("worker"), inherited: s.options.Env}
	require.NotEqual(t, given.fingerprint(), changed.fingerprint(), "a new setting restarts a service")

	s.adopt(map[string]string{"CONFIRMATIONS_REQUIRED": "3", "RATE_LIMITS": "off"})
	require.Equal(t, "8", s.options.Env["CONFIRMATIONS_REQUIRED"])
	require.Equal(t, "off", s.options.Env["RATE_LIMITS"], "a restart keeps what it ran with")
}

func requireFunded(t *testing.T, s *Stack) {
	t.Helper()
	rich, err := customerFunds().present(t.Context(), s)
	require.NoError(t, err)
	require.True(t, rich)
}

// row runs statements and checks that the last one returns 42.
func row(t *testing.T, s *Stack, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.Env()["DATABASE_URL"])
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	require.NoError(t, err)
	answer, err := strconv.Atoi(strings.TrimSpace(string(results[len(results)-1].Rows[0][0])))
	require.NoError(t, err)
	require.Equal(t, 42, answer)
}

func TestTheMailSinkTakesAndShowsMails(t *testing.T) {
	t.Parallel()
	SkipShort(t)
	s, err := Start(t.Context(), Options{Dir: t.TempDir(), Parts: []string{"mail"}, Private: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	env := s.Env()
	require.FileExists(t, env["MAIL_LOG"])
	require.NotEmpty(t, env["PID_MAIL"])
	service := s.serviceEnv("worker")
	require.Equal(t, "off", service["EMAIL_VERIFICATION"])
	require.NoError(t, smtp.SendMail(net.JoinHostPort(service["SMTP_HOST"], service["SMTP_PORT"]), nil, "a@example.com",
		[]string{"b@example.com"}, []byte("Subject: hello\r\n\r\ntext\r\n")))

	res, err := http.Get(env["MAIL_URL"] + "/messages?to=b@example.com")
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	shown, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Contains(t, string(shown), `"to":"b@example.com","subject":"hello","text":"text\n","html":"","date":"`)
}
