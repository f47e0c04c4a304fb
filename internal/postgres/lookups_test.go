package postgres_test

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// lookups returns the steps of an operator's search, and the operators' lists.
func lookups(charges int) []listRead {
	const limit = 50
	far := oldShopNow.AddDate(1, 0, 0)
	text := func(name string, query func(context.Context, *postgres.Store) error) listRead {
		return listRead{"find " + name, query}
	}
	reads := []listRead{
		text("an order", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.ChargesOfOrder(ctx, db.ChargesOfOrderParams{OrderID: "order-77", MaxRows: limit})
			return err
		}),
		text("an order of the books", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.RemovedChargesOfOrder(ctx, db.RemovedChargesOfOrderParams{OrderID: "order-77", MaxRows: limit})
			return err
		}),
		text("a name in logs", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.ChargesBetween(ctx, db.ChargesBetweenParams{First: "ch_1000", Beyond: "ch_1001", MaxRows: 5000})
			return err
		}),
		text("a trade's name in logs", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.TradesBetween(ctx, db.TradesBetweenParams{First: "1000", Beyond: "1001", MaxRows: 5000})
			return err
		}),
		text("an address", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.ChargesAtAddress(ctx, "address 77")
			return err
		}),
		text("an address of the exchange", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.TradesAtAddress(ctx, db.TradesAtAddressParams{Address: "deposit 77", MaxRows: limit})
			return err
		}),
		text("an address of a swap", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.SwapsAtAddress(ctx, db.SwapsAtAddressParams{Address: "deposit 77", MaxRows: limit})
			return err
		}),
		text("a transaction", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.ReceivedInTransaction(ctx, db.ReceivedInTransactionParams{TxHash: "tx 77", MaxRows: limit})
			return err
		}),
		text("trades", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.NewestTrades(ctx, db.NewestTradesParams{Statuses: []string{"completed", "expired"}, Before: far, MaxRows: limit})
			return err
		}),
		text("a deposit", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.DepositsInTransaction(ctx, db.DepositsInTransactionParams{TxHash: "tx 77", MaxRows: limit})
			return err
		}),
		text("a payout's transaction", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.PayoutByHash(ctx, "payout a500")
			if postgres.IsNotFound(err) {
				return nil
			}
			return err
		}),
		text("what we sent", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.OutgoingByHash(ctx, "payout a500")
			if postgres.IsNotFound(err) {
				return nil
			}
			return err
		}),
		text("payments of a charge", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.PaymentsOfCharge(ctx, db.PaymentsOfChargeParams{ChargeID: oldChargeID(charges / 2), MaxRows: limit})
			return err
		}),
		text("events of a charge", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.EventsOf(ctx, db.EventsOfParams{ResourceID: oldChargeID(charges / 2), MaxRows: limit})
			return err
		}),
	}
	for page, n := range map[string]int{"first": 0, "middle": charges / 2, "last": charges - 30} {
		before, id := far, ""
		if n > 0 {
			before, id = oldShopNow.Add(-time.Duration(n)*time.Minute), oldChargeID(n)
		}
		for name, statuses := range map[string][]string{"all": {"pending", "confirmed", "expired"}, "pending": {"pending"}} {
			reads = append(reads, text("charges/"+name+"/"+page, func(ctx context.Context, s *postgres.Store) error {
				_, err := s.NewestCharges(ctx, db.NewestChargesParams{Statuses: statuses, Mode: string(config.Live), Before: before, BeforeID: id, MaxRows: limit})
				return err
			}))
		}
		reads = append(reads, text("charges of a merchant/"+page, func(ctx context.Context, s *postgres.Store) error {
			_, err := s.NewestChargesOfMerchant(ctx, db.NewestChargesOfMerchantParams{
				MerchantID: oldShopID, Mode: string(config.Live), Before: before, BeforeID: id, MaxRows: limit,
			})
			return err
		}), text("payouts/"+page, func(ctx context.Context, s *postgres.Store) error {
			_, err := s.NewestPayouts(ctx, db.NewestPayoutsParams{Statuses: []string{"building", "confirmed", "failed"}, Before: before, BeforeID: id, MaxRows: limit})
			return err
		}), text("payouts of a merchant/"+page, func(ctx context.Context, s *postgres.Store) error {
			_, err := s.NewestPayoutsOfMerchant(ctx, db.NewestPayoutsOfMerchantParams{MerchantID: oldShopID, Before: before, BeforeID: id, MaxRows: limit})
			return err
		}), text("refunds/"+page, func(ctx context.Context, s *postgres.Store) error {
			_, err := s.NewestRefunds(ctx, db.NewestRefundsParams{Statuses: []string{"open", "completed"}, Before: before, BeforeID: id, MaxRows: limit})
			return err
		}), text("refunds of a merchant/"+page, func(ctx context.Context, s *postgres.Store) error {
			_, err := s.NewestRefundsOfMerchant(ctx, db.NewestRefundsOfMerchantParams{MerchantID: oldShopID, Before: before, BeforeID: id, MaxRows: limit})
			return err
		}))
	}
	return reads
}
