package activities_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// noticeFixture gathers notices of a shop and sends their mails.
type noticeFixture struct {
	*shop
	now    time.Time
	server *mailbox
	// counted is how many mails have ended.
	counted int
}

func openNoticeFixture(t *testing.T, addresses int) *noticeFixture {
	t.Helper()
	n := &noticeFixture{shop: open(t, addresses), now: start, server: &mailbox{answers: make([]error, 1000)}}
	sealed, err := n.box.Seal([]byte("shop@example.com"), secret.EmailPlace.Of(n.merchant))
	require.NoError(t, err)
	n.exec(t, "UPDATE merchants SET email_sealed = decode('"+hex.EncodeToString(sealed)+"', 'hex')")
	return n
}

func (n *noticeFixture) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := n.store.Pool().Exec(t.Context(), sql)
	require.NoError(t, err)
}

func (n *noticeFixture) choose(t *testing.T, k notice.BusinessKind, f notice.Frequency) {
	t.Helper()
	require.NoError(t, notice.Choose(t.Context(), n.store.Queries, n.merchant, k, f))
}

// put writes notices of 0.5 XMR each.
func (n *noticeFixture) put(t *testing.T, k notice.BusinessKind, from, many int) {
	t.Helper()
	half := money.OneXMR / 2
	for i := range many {
		require.NoError(t, notice.PutBusiness(t.Context(), n.store.Queries, notice.BusinessNotice{
			MerchantID: n.merchant, Kind: k, ResourceID: fmt.Sprintf("ch_%024d", from+i), Amount: &half, At: n.now,
		}))
	}
}

// gather makes the mails that are due, and sends those that were begun.
func (n *noticeFixture) gather(t *testing.T) (made int, sent []notice.Message) {
	t.Helper()
	h := mails.Handler{Store: n.store, Sender: n.server, Clock: func() time.Time { return n.now }}
	made, err := h.GatherNotices(t.Context())
	require.NoError(t, err)
	a := &mails.Handler{
		Store: n.store, Secret: n.box, Sender: n.server, Templates: notice.NewTemplates(), PublicURL: "https://pay.example",
		Clock: func() time.Time { return n.now }, Finished: func(kind mails.Kind, state mails.MailState) {
			require.Equal(t, mails.Business, kind)
			require.Equal(t, mails.MailSent, state)
			n.counted++
		},
	}
	before := len(n.server.sent)
	pgtest.SendWakeups(t, n.store, func(ctx context.Context, w outbox.Wakeup) error {
		if w.Kind != string(outbox.Mails) {
			return nil
		}
		require.Equal(t, n.merchant, w.Owner)
		for range 2 { // the second run sends nothing
			_, err := a.SendMail(ctx, mails.MailTask{VerificationID: w.ID})
			require.NoError(t, err)
		}
		return nil
	})
	require.Len(t, n.server.sent, n.counted, "each is counted once")
	return made, n.server.sent[before:]
}

func TestAChargeIsNotifiedOnceAsItsMerchantChose(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 3)
	paid, silent, sandbox := n.request(), n.request(), n.request()
	confirm := func(in chargestore.New) {
		n.create(t, in)
		n.pay(t, in.ChargeID, 10_000_000_000, 100)
		n.mine(t, 120)
		for range 2 {
			_, err := n.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Minute)})
			require.NoError(t, err)
		}
	}
	confirm(silent) // off by default
	n.choose(t, notice.ChargePaid, notice.AtOnce)
	confirm(paid)
	n.create(t, sandbox)
	n.exec(t, "UPDATE wallets SET mode = 'sandbox' WHERE id = '"+walletID+"'")
	n.pay(t, sandbox.ChargeID, 10_000_000_000, 100)
	_, err := n.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: sandbox.ChargeID, Now: start.Add(2 * time.Minute)})
	require.NoError(t, err)

	made, sent := n.gather(t)
	require.Equal(t, 1, made)
	require.Len(t, sent, 1)
	require.Equal(t, "shop@example.com", sent[0].To)
	require.Equal(t, "A charge was paid", sent[0].Subject)
	require.Contains(t, sent[0].Text, ": 0.01 XMR, "+paid.ChargeID[:11]+"…")
	require.NotContains(t, sent[0].Text+sent[0].HTML, paid.ChargeID, "the whole identifier opens the payment page")
	require.Contains(t, sent[0].Text, sent[0].Unsubscribe)
	token := strings.TrimPrefix(sent[0].Unsubscribe, "https://pay.example"+notice.OffPath)
	link, ok := notice.OpenOff(n.box, token)
	require.True(t, ok)
	require.Equal(t, notice.OffLink{MerchantID: n.merchant, Kinds: []notice.BusinessKind{notice.ChargePaid}}, link)
	_, ok = notice.OpenOff(n.box, token+"A")
	require.False(t, ok)
	made, sent = n.gather(t)
	require.Zero(t, made)
	require.Empty(t, sent)
}

// TestNoMailIsWrittenWithoutItsWakeup: the transaction ends, and the next run makes the mails.
func TestNoMailIsWrittenWithoutItsWakeup(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 0)
	n.put(t, notice.Late, 1, 3)
	n.exec(t, "ALTER TABLE wakeups RENAME TO elsewhere")
	h := mails.Handler{Store: n.store, Sender: n.server, Clock: func() time.Time { return n.now }}
	_, err := h.GatherNotices(t.Context())
	require.Error(t, err)
	n.exec(t, "ALTER TABLE elsewhere RENAME TO wakeups")
	made, sent := n.gather(t)
	require.Equal(t, 3, made)
	require.Len(t, sent, 3)
}

func TestMoreThanTwentyMailsAnHourGoIntoOne(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 0)
	n.put(t, notice.Late, 1, 55)
	made, sent := n.gather(t)
	require.Equal(t, 20, made)
	require.Len(t, sent, 20)
	require.Equal(t, "Money came late", sent[18].Subject)
	require.Equal(t, "Money came late, and 35 more", sent[19].Subject)
	require.Contains(t, sent[19].Text, "And 26 more. All together:\nCharges paid late: 36, together 18 XMR.")
	n.now = n.now.Add(time.Minute)
	n.put(t, notice.Late, 100, 2)
	made, _ = n.gather(t)
	require.Zero(t, made, "the hour is full")
	n.now = n.now.Add(time.Hour)
	made, sent = n.gather(t)
	require.Equal(t, 2, made)
	require.Len(t, sent, 2)
}

// Who fills the hour with other mails does not hide a login.
func TestALoginIsMailedBesideTwentyOtherMails(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 0)
	n.put(t, notice.Late, 0, 40)
	made, _ := n.gather(t)
	require.Equal(t, 20, made)
	n.put(t, notice.Late, 40, 1)
	n.put(t, notice.NewLogin, 100, 22)
	made, sent := n.gather(t)
	require.Equal(t, 20, made, "the late charge waits")
	for _, m := range sent {
		require.Contains(t, m.Text, "not seen before")
	}
	n.put(t, notice.NewLogin, 200, 1)
	made, _ = n.gather(t)
	require.Zero(t, made)
}

func TestADigestComesOnceADayAndCatchesUp(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 0)
	n.choose(t, notice.ChargePaid, notice.Daily)
	n.choose(t, notice.PayoutSent, notice.Daily)
	n.put(t, notice.ChargePaid, 1, 2)
	made, _ := n.gather(t)
	require.Zero(t, made, "before the next 08:00")
	n.now = n.now.AddDate(0, 0, 1)
	n.put(t, notice.PayoutSent, 1, 1) // after 08:00
	n.now = n.now.AddDate(0, 0, 2)    // no gathering for three days
	made, sent := n.gather(t)
	require.Equal(t, 1, made)
	require.Len(t, sent, 1)
	require.Equal(t, "What happened until 2026-11-24 08:00 UTC", sent[0].Subject)
	require.Contains(t, sent[0].Text, "Charges paid: 2, together 1 XMR.\nPayouts sent: 1, together 0.5 XMR.\n")
	made, _ = n.gather(t)
	require.Zero(t, made)
	n.now = n.now.AddDate(0, 0, 1)
	made, _ = n.gather(t)
	require.Zero(t, made, "a day without anything has no mail")
}

func TestALoginFromANewNetworkIsNotifiedAndNoAddressIsKept(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 0)
	key := []byte(strings.Repeat("k", 32))
	for _, from := range []string{"198.51.100.7", "198.51.100.9", "::ffff:198.51.100.1", "203.0.113.5", "203.0.113.6", "2001:db8:1:2::1", "2001:db8:1:3::1"} {
		require.NoError(t, notice.SeeLogin(t.Context(), n.store.Queries, key, notice.Login{
			MerchantID: n.merchant, From: netip.MustParseAddr(from), At: n.now,
		}))
	}
	made, sent := n.gather(t)
	require.Equal(t, 2, made, "the first network is no news")
	require.Equal(t, "A login from a new network", sent[0].Subject)
	require.NotContains(t, sent[0].Text, "203.0")
	var kept string
	require.NoError(t, n.store.Pool().QueryRow(t.Context(), "SELECT string_agg(n::text, ' ') FROM login_networks n").Scan(&kept))
	require.NotContains(t, kept, "198.51")
}

func TestWhatIsTurnedOffIsNotMailed(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 0)
	n.put(t, notice.Late, 1, 2)
	n.choose(t, notice.Late, notice.Off)
	n.put(t, notice.Late, 3, 1)
	made, _ := n.gather(t)
	require.Zero(t, made)

	n.choose(t, notice.Late, notice.AtOnce)
	n.put(t, notice.Late, 4, 1)
	require.NoError(t, n.store.EraseMerchant(t.Context(), db.EraseMerchantParams{MerchantID: n.merchant, Now: n.now}))
	made, _ = n.gather(t)
	require.Zero(t, made, "the account is gone")
}

// notices returns the notices of a kind, each with its part and its amount in piconero.
func (n *noticeFixture) notices(t *testing.T, k notice.BusinessKind) (all []string) {
	t.Helper()
	rows, err := n.store.Pool().Query(t.Context(),
		"SELECT resource_id || ' ' || part || ' ' || COALESCE(amount::text, 'none') FROM business_notices WHERE kind = $1 AND merchant_id = $2 ORDER BY id", string(k), n.merchant)
	require.NoError(t, err)
	all, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return all
}

func TestAnUnderpaidChargeIsNotifiedWhenItExpires(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 4)
	silent, unpaid := n.half(t, n.request()), n.create(t, n.request()).ID
	n.expire(t, silent)
	require.Empty(t, n.notices(t, notice.Underpaid), "off by default")
	n.choose(t, notice.Underpaid, notice.AtOnce)
	part := n.half(t, n.request())
	n.advance(t, part, start.Add(2*time.Minute))
	require.Empty(t, n.notices(t, notice.Underpaid), "it may be paid still")
	n.expire(t, part, part, unpaid)
	require.Equal(t, []string{part + " 0 5000000000"}, n.notices(t, notice.Underpaid))
	n.pay(t, part, money.OneXMR/200, 100)
	n.mine(t, 120)
	n.advance(t, part, start.Add(11*time.Hour))
	require.Equal(t, []string{part + " 0 10000000000"}, n.notices(t, notice.Late), "the rest came late")
	_, sent := n.gather(t)
	require.Len(t, sent, 2)
	require.Equal(t, "A charge was underpaid", sent[0].Subject)
	require.Equal(t, "Money came late", sent[1].Subject)
}

func TestADeliveryIsNotifiedWhenItIsGivenUp(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 2)
	url, _ := receiver(t, 500, 500, 500, 500, 500, 500, 500, 500, 500)
	n.webhook(t, url, charge.EventCreated)
	state := n.advance(t, n.create(t, n.request()).ID, start)
	id, hooks := state.Deliveries[0], n.webhooks(loopback)
	round := func(from int) {
		for i := range 3 {
			for range 2 { // the second run finds the record of the first
				attempt(t, hooks, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: from + i})
			}
			if i < 2 {
				require.Len(t, n.notices(t, notice.FailedDelivery), from/3, "it is tried again")
			}
		}
	}
	round(1)
	require.Equal(t, []string{id + " 1 none"}, n.notices(t, notice.FailedDelivery))
	require.NoError(t, n.redeliver(t, id, n.now))
	round(4)
	require.Equal(t, []string{id + " 1 none", id + " 2 none"}, n.notices(t, notice.FailedDelivery), "each round is told")
	_, sent := n.gather(t)
	require.Len(t, sent, 2)
	require.Equal(t, "A webhook was not reached", sent[0].Subject)

	n.exec(t, "UPDATE deliveries SET mode = 'sandbox'")
	require.NoError(t, n.redeliver(t, id, n.now))
	for i := range 3 {
		attempt(t, hooks, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 7 + i})
	}
	require.Len(t, n.notices(t, notice.FailedDelivery), 2, "nobody is mailed about the sandbox")
}

func TestAPayoutIsNotifiedWhenItIsSent(t *testing.T) {
	t.Parallel()
	for choice, want := range map[notice.Frequency]int{notice.Off: 0, notice.AtOnce: 1} {
		n := openNoticeFixture(t, 2)
		n.choose(t, notice.PayoutSent, choice)
		id, a, daemon := n.reserved(t), n.payouts(), &node{refuses: true}
		n.built(t, id)
		daemon.daemon(t, a)
		require.Error(t, step(t, a, a.RelayPayout, id, nil))
		require.Empty(t, n.notices(t, notice.PayoutSent), "it was not sent")
		daemon.set(func() { daemon.refuses = false })
		for range 2 {
			require.NoError(t, step(t, a, a.RelayPayout, id, nil))
		}
		daemon.set(func() { daemon.known = false })
		require.NoError(t, step(t, a, a.RelayPayout, id, nil), "a reorganization dropped it")
		written := n.notices(t, notice.PayoutSent)
		require.Len(t, written, want)
		made, sent := n.gather(t)
		require.Equal(t, want, made)
		if want == 1 {
			require.Equal(t, fmt.Sprintf("%s 0 %d", id, net), written[0])
			require.Equal(t, "A payout was sent", sent[0].Subject)
		}
	}
}
