package chargestore

import (
	"context"
	"errors"
	"sync"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// Errors after which another attempt may create the charge.
var (
	errChanged = errors.New("the settings that the charge was made from have changed")
	errLapsed  = errors.New("the lease of the charge's address has ended")
	errTaken   = errors.New("another charge has the address")
)

func again(err error) bool {
	return errors.Is(err, errChanged) || errors.Is(err, errLapsed) || errors.Is(err, errTaken)
}

func refused(err error) bool {
	_, is := refusals.Of(err)
	return is
}

// attempts is how often create tries while other transactions change the rows it has read. After the last one
// the client may try again.
const attempts = 4

// attempt creates a charge with these settings. An address that certainly no charge has is
// used again. After a fault of the insert the charge may exist.
func (s *Charges) attempt(ctx context.Context, in New, begun db.BeginChargeRow) (made charge.Charge, err error) {
	wallet := s.walletFor(in, begun.WalletID)
	given, noAddress := s.address(ctx, in, begun, wallet)
	sent := false
	if given.SubaddressIndex != 0 {
		defer func() {
			s.hands.settle(wallet, given, !sent || refused(err) || errors.Is(err, errChanged))
		}()
	}
	insert := func(q, later *db.Queries) error {
		row, err := s.row(ctx, q, later, in, begun)
		if err != nil {
			return err
		}
		if noAddress != nil {
			return noAddress
		}
		if !s.simulates(in.Mode) {
			row.WalletID, row.SubaddressIndex, row.Subaddress, row.LeaseInstance = wallet, given.SubaddressIndex, given.Address, given.LeaseInstance
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		sent = true
		made, err = s.insert(ctx, q, later, row)
		return err
	}
	if in.Source == charge.FromAPI && !s.simulates(in.Mode) && !begun.HasInvoiceWebhook {
		err = insert(s.Store.Queries, nil) // one statement
	} else {
		err = s.Store.TxTogether(ctx, insert)
	}
	switch {
	case postgres.IsDuplicateOf(err, "charges_wallet_id_subaddress_index_key"):
		err = errTaken
	case postgres.IsDuplicate(err):
		err = refusals.New(refusals.NoAddress, "the charge exists")
	case errors.Is(err, errLapsed):
		s.hands.drop(wallet, given.LeaseInstance)
	}
	return made, err
}

// row returns the row of a charge that may be made, without its address unless that is
// simulated.
func (s *Charges) row(ctx context.Context, q, later *db.Queries, in New, begun db.BeginChargeRow) (row db.InsertChargeParams, err error) {
	if err := admit(ctx, q, in); err != nil {
		return row, err
	}
	if err := s.refusal(begun, in.Mode); err != nil {
		return row, err
	}
	row, err = s.newRow(in, begun)
	if err == nil && s.simulates(in.Mode) {
		err = simulate(ctx, later, &row)
	}
	return row, err
}

// address takes an address for a charge that needs one and is not refused by the settings.
func (s *Charges) address(ctx context.Context, in New, begun db.BeginChargeRow, walletID string) (address, error) {
	switch {
	case s.simulates(in.Mode), s.isRefused(begun, in.Mode):
		return address{}, nil
	case walletID == "":
		return address{}, refusals.New(refusals.NoAddress, "no wallet of the sandbox is configured, so there is no receiving address")
	default:
		return s.hands.take(ctx, s.Store, walletID, in.Now)
	}
}

// insert writes the row of a charge, its event, its deliveries and its wakeup.
func (s *Charges) insert(ctx context.Context, q, later *db.Queries, row db.InsertChargeParams) (charge.Charge, error) {
	made, facts := postgres.NewCharge(row), charge.Facts{Now: row.CreatedAt}
	body, err := webhook.Body(charge.EventCreated, charge.ViewOf(made, facts, s.PublicURL), row.CreatedAt)
	if err != nil {
		return made, err
	}
	row.EventType, row.Payload, row.GraceSeconds = charge.EventCreated, string(body), outbox.Grace.Seconds()
	inserted, err := q.InsertCharge(ctx, row)
	switch {
	case err != nil:
		return made, err
	case !inserted.Leased:
		return made, errLapsed
	case !inserted.Made:
		return made, errChanged
	case !row.HasInvoiceWebhook:
		return made, nil
	}
	return made, recordInvoiceEvents(ctx, later, made, facts, []invoice.Event{{Type: webhook.InvoiceCreated}})
}

// settings are those of merchants from which the process last made charges. They may have
// changed since: InsertCharge compares them. The zero value has none.
type settings struct {
	mu    sync.Mutex
	found map[settingsKey]db.BeginChargeRow
}

type settingsKey struct {
	merchantID string
	mode       config.Mode
}

// mostSettings is how many are kept. Beyond it, the cache is cleared.
const mostSettings = 10_000

func (s *settings) of(in New) (begun db.BeginChargeRow, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun, known = s.found[settingsKey{in.MerchantID, in.Mode}]
	return begun, known
}

func (s *settings) keep(in New, begun db.BeginChargeRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil || len(s.found) >= mostSettings {
		s.found = map[settingsKey]db.BeginChargeRow{}
	}
	s.found[settingsKey{in.MerchantID, in.Mode}] = begun
}

func (s *settings) forget(in New) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.found, settingsKey{in.MerchantID, in.Mode})
}
