package activities_test

import (
	"context"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// mailbox is a mail server's answer to each mail in turn.
type mailbox struct {
	answers []error
	sent    []notice.Message
}

func (o *mailbox) Send(_ context.Context, m notice.Message) error {
	o.sent = append(o.sent, m)
	return o.answers[len(o.sent)-1]
}

func (s *shop) verification(t *testing.T) (id, token string) {
	t.Helper()
	id, token = secret.NewID("em_"), secret.NewSecret()
	seal := func(column, text string) []byte {
		sealed, err := s.box.Seal([]byte(text), secret.AD{Table: "email_verifications", Column: column, ID: id})
		require.NoError(t, err)
		return sealed
	}
	require.NoError(t, s.store.PutEmailVerification(t.Context(), db.PutEmailVerificationParams{
		ID: id, MerchantID: s.merchant, EmailSealed: seal("email", "shop@example.com"), TokenHash: secret.HashAPIKey(token),
		TokenSealed: seal("token", token), CreatedAt: start, ExpiresAt: start.Add(24 * time.Hour),
	}))
	return id, token
}

func TestMailIsRepeatedUntilItIsTakenAndThenNotAgain(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	id, token := s.verification(t)
	server := &mailbox{answers: []error{errors.New("away"), nil}}
	a := &mails.Handler{
		Store: s.store, Secret: s.box, Templates: notice.NewTemplates(), PublicURL: "https://pay.example", Clock: func() time.Time { return start },
		Finished: func(mails.Kind, mails.MailState) {},
	}
	task := mails.MailTask{VerificationID: id}
	_, err := a.SendMail(t.Context(), task)
	require.Error(t, err, "without a server it waits for one")
	a.Sender = server
	_, err = a.SendMail(t.Context(), task)
	require.ErrorContains(t, err, "away")
	state, err := a.FindMail(t.Context(), task)
	require.NoError(t, err)
	require.Equal(t, mails.MailWaiting, state)

	for range 3 {
		state, err = a.SendMail(t.Context(), task)
		require.NoError(t, err)
		require.Equal(t, mails.MailSent, state)
	}
	require.Len(t, server.sent, 2)
	require.Equal(t, server.sent[0], server.sent[1], "the same mail with the same link")
	require.Equal(t, "shop@example.com", server.sent[1].To)
	require.Contains(t, server.sent[1].Text, "https://pay.example/verify-email/"+token+"\n")
	row, err := s.store.GetEmailVerification(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, row.TokenSealed, "once it is sent, only the hash is left")
	state, err = a.FindMail(t.Context(), task)
	require.NoError(t, err)
	require.Equal(t, mails.MailSent, state)
}

func TestReplacedOrRefusedMailIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	former, _ := s.verification(t)
	id, _ := s.verification(t)
	server := &mailbox{answers: []error{notice.ErrRefused}}
	a := s.mails(server)
	for _, missing := range []string{former, "em_" + strings.Repeat("0", 24)} {
		state, err := a.SendMail(t.Context(), mails.MailTask{VerificationID: missing})
		require.NoError(t, err)
		require.Equal(t, mails.MailMissing, state)
	}
	require.Empty(t, server.sent)
	state, err := a.SendMail(t.Context(), mails.MailTask{VerificationID: id})
	require.NoError(t, err)
	require.Equal(t, mails.MailRefused, state)
}

func TestUnconfirmedEmailAddressesArePruned(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	id, _ := s.verification(t)
	s.prune(t, start.Add(24*time.Hour))
	_, err := s.store.GetEmailVerification(t.Context(), id)
	require.NoError(t, err, "valid until then")
	s.prune(t, start.Add(24*time.Hour+time.Second))
	_, err = s.store.GetEmailVerification(t.Context(), id)
	require.Error(t, err)
}

func TestMoneyForADeletedAccountRaisesANotice(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	paid, late := s.request(), s.request()
	for _, in := range []chargestore.New{paid, late} {
		s.create(t, in)
	}
	advance := func(id string, at time.Time) []db.Alert {
		for range 2 {
			_, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: id, Now: at})
			require.NoError(t, err)
		}
		alerts, err := s.store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 10})
		require.NoError(t, err)
		return alerts
	}
	s.pay(t, paid.ChargeID, 10_000_000_000, 100)
	s.mine(t, 110)
	require.Empty(t, advance(paid.ChargeID, start.Add(time.Minute)))
	require.NoError(t, s.store.EraseMerchant(t.Context(), db.EraseMerchantParams{MerchantID: s.merchant, Now: start}))

	s.pay(t, late.ChargeID, 10_000_000_000, 111)
	s.mine(t, 121)
	alerts := advance(late.ChargeID, start.Add(2*time.Hour))
	require.Len(t, alerts, 1)
	require.Equal(t, alert.OwedToDeletedAccount, alerts[0].Kind)
	require.Equal(t, late.ChargeID, alerts[0].Subject)
	charge, err := s.store.GetCharge(t.Context(), late.ChargeID)
	require.NoError(t, err)
	require.Equal(t, "confirmed", charge.Charge.Status, "the books are kept all the same")

	_, err = s.charges.Create(t.Context(), s.request())
	require.Equal(t, refusals.Merchant, reason(t, err), "a deleted merchant gets no charge")
}

// notice writes a notice to the merchant's address and returns its ID.
func (s *shop) notice(t *testing.T, kind notice.Kind) string {
	t.Helper()
	m, err := s.store.GetMerchant(t.Context(), s.merchant)
	require.NoError(t, err)
	notices := notice.Notices{Box: s.box, Clock: func() time.Time { return start }, Mails: true}
	until := start.Add(24 * time.Hour)
	require.NoError(t, notices.Enqueue(t.Context(), s.store.Queries, m, kind, &until))
	var id string
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "DELETE FROM wakeups WHERE kind = 'mails' RETURNING id").Scan(&id))
	return id
}

// TestALateMailOfAResetEndsNothing: the grants that its link would end are not those that
// the reset left.
func TestALateMailOfAResetEndsNothing(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.named(t, "shop@example.com")
	for _, moved := range []bool{false, true} {
		id, server := s.notice(t, notice.PasswordReset), &mailbox{answers: []error{nil}}
		if moved {
			s.exec(t, "UPDATE merchants SET token_version = token_version + 1")
		}
		_, err := s.mails(server).SendMail(t.Context(), mails.MailTask{VerificationID: id})
		require.NoError(t, err)
		require.Equal(t, !moved, strings.Contains(server.sent[0].Text, "/end-access/"))
	}
}

func TestNoticeIsRepeatedUntilItIsTakenAndThenNotAgain(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.named(t, "shop@example.com")
	for _, kind := range notice.Kinds() {
		id := s.notice(t, kind)
		server := &mailbox{answers: []error{errors.New("away"), nil}}
		a := s.mails(server)
		task := mails.MailTask{VerificationID: id}
		_, err := a.SendMail(t.Context(), task)
		require.ErrorContains(t, err, "away")
		for range 2 {
			state, err := a.SendMail(t.Context(), task)
			require.NoError(t, err)
			require.Equal(t, mails.MailSent, state)
		}
		require.Len(t, server.sent, 2)
		for i := range server.sent { // each sealing of a link is another text
			sealed := regexp.MustCompile(`/end-access/[\w-]+`)
			server.sent[i].Text, server.sent[i].HTML = sealed.ReplaceAllString(server.sent[i].Text, "/end-access/"), sealed.ReplaceAllString(server.sent[i].HTML, "/end-access/")
		}
		require.Equal(t, server.sent[0], server.sent[1])
		require.Equal(t, "shop@example.com", server.sent[1].To)
		require.Contains(t, server.sent[1].Text, "until 2026-11-22")
		row, err := s.store.GetAccountNotice(t.Context(), id)
		require.NoError(t, err)
		require.Nil(t, row.EmailSealed, "once it is sent, no address is left")
	}
}

func TestResetKeepsItsTokenUntilItIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	index := s.named(t, "shop@example.com")
	ask := func(index []byte) string {
		id := secret.NewID(notice.ResetPrefix)
		require.NoError(t, s.store.PutPasswordReset(t.Context(), db.PutPasswordResetParams{
			ID: id, EmailIndex: index, CreatedAt: start, ExpiresAt: start.Add(account.ResetLife),
		}))
		return id
	}
	id := ask(index)
	server := &mailbox{answers: []error{errors.New("away"), nil}}
	a := s.mails(server)
	task := mails.MailTask{VerificationID: id}
	_, err := a.SendMail(t.Context(), task)
	require.ErrorContains(t, err, "away")
	row, err := s.store.GetPasswordReset(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, row.TokenSealed)
	for range 2 {
		state, err := a.SendMail(t.Context(), task)
		require.NoError(t, err)
		require.Equal(t, mails.MailSent, state)
	}
	require.Len(t, server.sent, 2)
	require.Equal(t, server.sent[0], server.sent[1], "the same link, however often it is sent")
	require.Contains(t, server.sent[0].Text, "https://pay.example/reset-password/")
	row, err = s.store.GetPasswordReset(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, row.TokenSealed)

	unknown := mails.MailTask{VerificationID: ask([]byte("another address"))}
	for _, look := range []func(context.Context, mails.MailTask) (mails.MailState, error){a.FindMail, a.SendMail} {
		state, err := look(t.Context(), unknown)
		require.NoError(t, err)
		require.Equal(t, mails.MailNeedless, state)
	}
	expired := s.mails(server)
	late := ask(index)
	expired.Clock = func() time.Time { return start.Add(account.ResetLife) }
	state, err := expired.SendMail(t.Context(), mails.MailTask{VerificationID: late})
	require.NoError(t, err)
	require.Equal(t, mails.MailNeedless, state, "its link would be over")
	require.Len(t, server.sent, 2)
}

func (s *shop) mails(server *mailbox) *mails.Handler {
	return &mails.Handler{
		Store: s.store, Secret: s.box, Sender: server, Templates: notice.NewTemplates(), PublicURL: "https://pay.example",
		Clock: func() time.Time { return start }, Finished: func(mails.Kind, mails.MailState) {},
	}
}

// named gives the merchant an address and returns its index.
func (s *shop) named(t *testing.T, email string) []byte {
	t.Helper()
	sealed, err := s.box.Seal([]byte(email), secret.AD{Table: "merchants", Column: "email", ID: s.merchant})
	require.NoError(t, err)
	index := []byte("index of " + s.merchant)
	_, err = s.store.SetEmail(t.Context(), db.SetEmailParams{MerchantID: s.merchant, EmailSealed: sealed, EmailIndex: index})
	require.NoError(t, err)
	return index
}
