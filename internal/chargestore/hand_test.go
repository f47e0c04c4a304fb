package chargestore_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/refusals"
)

// TestAnAddressOfAnotherDatabaseIsNotUsed replaces the database's rows by those of a new
// installation while a process has an address in hand.
func TestAnAddressOfAnotherDatabaseIsNotUsed(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.withAddress(t)
	s.exec(t, "DELETE FROM events")
	s.exec(t, "DELETE FROM charges")
	s.exec(t, "UPDATE addresses SET address = 'new ' || subaddress_index, former_charge_id = NULL")
	s.exec(t, "TRUNCATE witnesses")
	s.exec(t, "INSERT INTO witnesses (wallet_id, addresses, lease_to, lease_instance) VALUES ($1, 1000, 1000, database_instance())", walletID)
	made := s.create(t, s.request())
	require.Equal(t, "new 1", made.Subaddress)
}

// A caller that hangs up before anything is inserted leaves the address
// to the next charge.
func TestWhoHangsUpLosesNoAddress(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.withAddress(t)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, source := range []charge.Source{charge.FromButton, charge.FromAPI} {
		in := s.request()
		in.Source = source
		_, err := s.charges.Create(gone, in)
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, 3, s.indexOf(t, s.create(t, s.request()).ID))
}

// TestAnEmptyPoolIsNotWrittenTo: a refused request does not wait for a transaction that changes the wallet.
func TestAnEmptyPoolIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.create(t, s.request())
	before := s.number(t, "SELECT xmax::text::bigint FROM witnesses")
	_, err := s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.NoAddress)
	require.Equal(t, before, s.number(t, "SELECT xmax::text::bigint FROM witnesses"))
}

// TestAddressesThatAllHaveChargesAreRefused: the counter is behind, after rows were changed by
// hand. A client is asked to try again, until the counter has passed them.
func TestAddressesThatAllHaveChargesAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, 30)
	found := s.request()
	s.create(t, found)
	for range 9 {
		s.create(t, s.request())
	}
	s.exec(t, "UPDATE witnesses SET handed_out = 0")
	s.charges = s.process()
	_, err := s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.NoAddress)
	s.exec(t, "UPDATE witnesses SET handed_out = 0")
	s.charges = s.process()
	require.Equal(t, found.ChargeID, s.create(t, found).ID, "what exists is found")
	for {
		made, err := s.charges.Create(t.Context(), s.request())
		if err == nil {
			require.Equal(t, 11, s.indexOf(t, made.ID))
			return
		}
		requireRefused(t, err, refusals.NoAddress)
	}
}

// TestManyRefusalsAtOnceHoardNoAddresses: a request that waits for the database holds an address.
func TestManyRefusalsAtOnceHoardNoAddresses(t *testing.T) {
	t.Parallel()
	s := open(t, 900)
	s.create(t, s.request())
	s.exec(t, "UPDATE merchants SET pending_charges_max = 1")
	var wait sync.WaitGroup
	for range 300 {
		wait.Go(func() {
			_, err := s.charges.Create(t.Context(), s.request())
			assert.Truef(t, refusals.Is(err, refusals.TooMany), "%v", err)
		})
	}
	wait.Wait()
	require.LessOrEqual(t, s.number(t, "SELECT handed_out FROM witnesses"), 1+2*32)
}

// line carries the bytes between a client and the database. While it is down, answers wait.
type line struct {
	url  string
	mu   sync.Mutex
	down chan struct{}
}

func (l *line) cut() (restore func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	down := make(chan struct{})
	l.down = down
	return func() { close(down) }
}

func (l *line) wait() {
	l.mu.Lock()
	down := l.down
	l.mu.Unlock()
	if down != nil {
		<-down
	}
}

// lineTo opens a line to a database.
func lineTo(t *testing.T, store *postgres.Store) *line {
	t.Helper()
	config := store.Pool().Config().ConnConfig
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	here := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: config.Database, RawQuery: "sslmode=disable"}
	l := &line{url: here.String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			go func() {
				_, _ = io.Copy(server, client)
				_ = server.Close()
			}()
			go func() {
				_, _ = io.Copy(writer(func(b []byte) (int, error) {
					l.wait()
					return client.Write(b)
				}), server)
				_ = client.Close()
			}()
		}
	}()
	return l
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestWhoHangsUpWhileAddressesAreHandedOutLosesNone: they are handed out to the process, and not
// to the caller that found none.
func TestWhoHangsUpWhileAddressesAreHandedOutLosesNone(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	l := lineTo(t, s.store)
	far, err := postgres.Open(t.Context(), l.url, 2, postgres.ByHand)
	require.NoError(t, err)
	t.Cleanup(far.Close)
	s.charges.Store = far
	s.create(t, s.request())

	gone, hangUp := context.WithCancel(t.Context())
	restore := l.cut()
	var created sync.WaitGroup
	created.Go(func() {
		_, err := s.charges.Create(gone, s.request())
		assert.ErrorIs(t, err, context.Canceled)
	})
	require.Eventually(t, func() bool { return s.number(t, "SELECT handed_out FROM witnesses") == 3 }, 8*time.Minute, time.Millisecond)
	hangUp()
	restore()
	created.Wait()
	require.Equal(t, 2, s.indexOf(t, s.create(t, s.request()).ID))
}
