package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

// receiptFor makes a charge whose buyer gave an address on a German page, and confirms it. Each step
// runs twice.
func (n *noticeFixture) receiptFor(t *testing.T, change func(*chargestore.New)) string {
	t.Helper()
	in := n.request()
	in.Fields, in.Metadata, in.Description = []string{charge.EmailField}, `{"buyer_info":{"email":"buyer@example.com"}}`, new("Pot of Darjeeling")
	change(&in)
	n.create(t, in)
	for range 2 {
		require.NoError(t, n.store.PutReceipt(t.Context(), db.PutReceiptParams{ChargeID: in.ChargeID, Language: notice.ReceiptLanguage("de")}))
	}
	n.pay(t, in.ChargeID, 10_000_000_000, 100)
	n.mine(t, 120)
	for range 2 {
		_, err := n.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Minute)})
		require.NoError(t, err)
	}
	return in.ChargeID
}

// receipts sends the mails that were begun, each twice, and returns them with their states.
func (n *noticeFixture) receipts(t *testing.T) (sent []notice.Message, states []mails.MailState) {
	t.Helper()
	a := &mails.Handler{
		Store: n.store, Secret: n.box, Sender: n.server, Templates: notice.NewTemplates(), PublicURL: "https://pay.example",
		Clock:    func() time.Time { return n.now },
		Finished: func(kind mails.Kind, _ mails.MailState) { require.Equal(t, mails.Receipt, kind) },
	}
	before := len(n.server.sent)
	pgtest.SendWakeups(t, n.store, func(ctx context.Context, w outbox.Wakeup) error {
		if w.Kind != string(outbox.Mails) {
			return nil
		}
		for range 2 {
			state, err := a.SendMail(ctx, mails.MailTask{VerificationID: w.ID})
			require.NoError(t, err)
			states = append(states, state)
		}
		return nil
	})
	return n.server.sent[before:], states
}

func TestABuyerGetsOneReceiptOfAConfirmedCharge(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 3)
	n.exec(t, `UPDATE merchants SET business_name = 'Teeladen', contact = E'hilfe@shop.example\nHafen 1'`)
	id := n.receiptFor(t, func(*chargestore.New) {})
	sent, _ := n.receipts(t)
	require.Len(t, sent, 1)
	require.Equal(t, "buyer@example.com", sent[0].To)
	require.Equal(t, "Quittung von Teeladen", sent[0].Subject)
	for _, text := range []string{
		"Gezahlt für: Pot of Darjeeling", "Preis: 1.50 USD", "Erhalten: 0.01 XMR", "Referenz: " + id, "hilfe@shop.example\nHafen 1",
		"https://pay.example/pay/" + id + "/receipt?lang=de",
	} {
		require.Contains(t, sent[0].Text, text)
	}
	require.Contains(t, sent[0].HTML, `<html lang="de" dir="ltr">`)
	sent, _ = n.receipts(t)
	require.Empty(t, sent)
}

func TestWhoGetsNoReceipt(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 7)
	n.exec(t, "UPDATE merchants SET mails_receipts = false")
	n.receiptFor(t, func(*chargestore.New) {})
	n.exec(t, "UPDATE merchants SET mails_receipts = true")
	n.receiptFor(t, func(in *chargestore.New) { in.Fields = nil })
	sent, states := n.receipts(t)
	require.Empty(t, sent)
	require.Empty(t, states, "a merchant who sends none, a charge that asks for no address")

	n.receiptFor(t, func(in *chargestore.New) { in.Metadata = `{}` })
	sent, states = n.receipts(t)
	require.Empty(t, sent)
	require.Equal(t, []mails.MailState{mails.MailNeedless, mails.MailNeedless}, states, "the address was removed")

	n.receiptFor(t, func(in *chargestore.New) {
		in.Source, in.Description = charge.FromButton, new("Your account is locked")
	})
	sent, _ = n.receipts(t)
	require.Len(t, sent, 1)
	require.NotContains(t, sent[0].Text+sent[0].HTML, "locked", "strangers write the descriptions of button charges")

	ask := func() string {
		in := n.request()
		in.Fields, in.Metadata = []string{charge.EmailField}, `{"buyer_info":{"email":"buyer@example.com"}}`
		n.create(t, in)
		require.NoError(t, n.store.PutReceipt(t.Context(), db.PutReceiptParams{ChargeID: in.ChargeID, Language: "en"}))
		return in.ChargeID
	}
	require.Equal(t, charge.Confirmed, n.mark(t, ask(), charge.MarkedSettled).Status)
	sandbox := ask()
	n.exec(t, "UPDATE charges SET mode = 'sandbox' WHERE id = '"+sandbox+"'")
	n.pay(t, sandbox, 10_000_000_000, 100)
	n.mine(t, 121)
	require.Equal(t, charge.Confirmed, n.advance(t, sandbox, start.Add(2*time.Minute)).Status)
	sent, _ = n.receipts(t)
	require.Empty(t, sent, "a charge that a merchant settled by hand, one of the sandbox")
}

// TestMailsNameWhatTheyAreAbout reads the order, the description and the link.
func TestMailsNameWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	n := openNoticeFixture(t, 3)
	n.exec(t, "UPDATE merchants SET business_name = 'Teeladen'")
	n.choose(t, notice.ChargePaid, notice.AtOnce)
	for _, c := range []struct {
		source            charge.Source
		order, text, link string
	}{
		{charge.FromAPI, "1002 & 3", "order 1002 & 3, “Pot of Darjeeling”, ch_", "https://pay.example/charges?text=1002+%26+3\n"},
		{charge.FromAPI, "", "“Pot of Darjeeling”, ch_", "https://pay.example/charges?text=Pot+of+Darjeeling\n"},
		{charge.FromButton, "1002", "order 1002, ch_", "https://pay.example/charges?text=1002\n"},
	} {
		in := n.request()
		in.Source = c.source
		in.Description = new("Pot of Darjeeling")
		if c.order != "" {
			in.OrderID = &c.order
		}
		n.create(t, in)
		n.pay(t, in.ChargeID, 10_000_000_000, 100)
		n.mine(t, 120)
		_, err := n.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Minute)})
		require.NoError(t, err)
		_, sent := n.gather(t)
		require.Len(t, sent, 1)
		require.Contains(t, sent[0].Text, "Teeladen\n\nA charge was paid and is confirmed: 0.01 XMR, "+c.text)
		require.Contains(t, sent[0].Text, c.link)
		require.NotContains(t, sent[0].Text+sent[0].HTML, in.ChargeID, "the whole identifier opens the payment page")
	}
}
