package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"
)

const (
	// loginBar is the share of the rate of the password's hash alone.
	loginBar = 0.8
	// tellBar is how far two times may be apart that must not tell anything.
	tellBar = 0.1
	// wrongTries is how many wrong passwords an account takes, one less than
	// lock it.
	wrongTries = 4
)

const loginPassword = "correct horse battery"

// logins compares logins with the hash that they must make, and the times of
// refusals that must not be told apart.
func (b *bench) logins(ctx context.Context) error {
	email, err := b.owner(ctx)
	if err != nil {
		return err
	}
	hasher, err := startChild(ctx, "hasher")
	if err != nil {
		return err
	}
	bare := func(ctx context.Context, _ int64) error { return b.fixture.get(ctx, hasher.says, "") }
	ours := func(ctx context.Context, _ int64) error { return b.login(ctx, email, loginPassword, http.StatusOK) }
	clients := runtime.NumCPU()
	c, err := b.sizes.inTurns(ctx, clients, nil, bare, ours)
	if err := errors.Join(err, hasher.stop()); err != nil {
		return err
	}
	ratio := c.ratioTo(0)
	b.table.add(row{
		measure: fmt.Sprintf("POST /api/auth/login, %d clients", clients), value: perSecond(c.rate(1)),
		reference: "argon2id alone " + perSecond(c.rate(0)), ratio: ratioText(ratio),
		bar: fmt.Sprintf("ratio ≥ %.1f", loginBar), met: ratio >= loginBar,
	})
	return errors.Join(b.unknownEmails(ctx), b.takenEmails(ctx, email))
}

// owner signs somebody up.
func (b *bench) owner(ctx context.Context) (email string, err error) {
	email = "owner-" + rand.Text() + "@shop.example"
	return email, b.signup(ctx, email, loginPassword, http.StatusOK)
}

// unknownEmails compares a wrong password with an email that nobody has.
func (b *bench) unknownEmails(ctx context.Context) error {
	var known string
	wrong := func(ctx context.Context, n int64) (err error) {
		return b.login(ctx, known, fmt.Sprint("wrong password ", n), http.StatusUnauthorized)
	}
	unknown := func(ctx context.Context, n int64) error {
		return b.login(ctx, rand.Text()+"@shop.example", fmt.Sprint("wrong password ", n), http.StatusUnauthorized)
	}
	before := func(ctx context.Context, n int) (err error) {
		if n%wrongTries == 0 {
			known, err = b.owner(ctx)
		}
		return err
	}
	return b.alike(ctx, b.sizes.refusals, "login with an unknown email", "with a wrong password", before, unknown, wrong)
}

// takenEmails compares signups that are refused for their password, with an
// email in use and with one that nobody has: the time must not tell which. (A
// password that is taken tells by the answer alone.)
func (b *bench) takenEmails(ctx context.Context, email string) error {
	taken := func(ctx context.Context, _ int64) error {
		return b.signup(ctx, email, "short", http.StatusBadRequest)
	}
	free := func(ctx context.Context, _ int64) error {
		return b.signup(ctx, rand.Text()+"@shop.example", "short", http.StatusBadRequest)
	}
	nothing := func(context.Context, int) error { return nil }
	return b.alike(ctx, b.sizes.signups, "refused signup with an email in use", "with another email", nothing, taken, free)
}

// alike times two calls so many times in turn, each as often the first of the
// two, and says whether their medians are equal.
func (b *bench) alike(
	ctx context.Context, rounds int, what, other string, before func(context.Context, int) error, one, two work,
) error {
	var ones, twos []time.Duration
	for n := range rounds {
		if err := before(ctx, n); err != nil {
			return err
		}
		sides := []struct {
			do      work
			samples *[]time.Duration
		}{{one, &ones}, {two, &twos}}
		if n%2 == 1 {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			took, err := times(ctx, 1, side.do)
			if err != nil {
				return err
			}
			*side.samples = append(*side.samples, took...)
		}
	}
	ratio := quotient(percentile(ones, 50), percentile(twos, 50))
	b.table.add(row{
		measure: what, value: spread(ones), reference: other + ": " + spread(twos), ratio: ratioText(ratio) + " (p50)",
		bar: fmt.Sprintf("p50 within %.0f %%", tellBar*100), met: ratio >= 1-tellBar && ratio <= 1+tellBar,
	})
	return nil
}

func (b *bench) login(ctx context.Context, email, password string, want int) error {
	return b.fixture.post(ctx, "/api/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password), want)
}

func (b *bench) signup(ctx context.Context, email, password string, want int) error {
	return b.fixture.post(ctx, "/api/auth/signup",
		fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"Bench shop"}`, email, password), want)
}

// post sends JSON as a client of its own, and expects a status.
func (w *fixture) post(ctx context.Context, path, body string, want int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.urls["MERCHANT_URL"]+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", anyAddress())
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != want {
		return fmt.Errorf("POST %s: status %d instead of %d", path, resp.StatusCode, want)
	}
	return nil
}

// anyAddress is an address in a network that no other request comes from: too
// many failures from one are refused unread.
func anyAddress() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return net.IP(append([]byte{0x20, 0x01, 0x0d, 0xb8}, b[:]...)).String()
}

// serveHasher is the reference of a login: the hash alone, with the parameters
// of the service.
func serveHasher(ctx context.Context) error {
	hash, err := argon2id.CreateHash(loginPassword, &argon2id.Params{
		Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		return fmt.Errorf("hasher: %w", err)
	}
	return serveReference(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if fits, err := argon2id.ComparePasswordAndHash(loginPassword, hash); err != nil || !fits {
			http.Error(w, "wrong", http.StatusInternalServerError)
		}
	}))
}
