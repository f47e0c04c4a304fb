package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// The shop of testdata/oldshop.sql, and the numbers of charges of this shop and
// another one.
const (
	oldCharges   = 120_000
	otherCharges = 10_000
	// lookedAt is the number of rows that one step of a read may examine: as many as a
	// page of a search for a text, and one more that shows whether there are more.
	lookedAt = 10_001
)

// TestNoListReadsEverything runs the reads of the desks on a shop that is larger than
// one read may examine. It checks the plans that the server used, both for known and
// for unknown parameters.
func TestNoListReadsEverything(t *testing.T) {
	t.Parallel()
	address := oldShop(t, oldCharges, otherCharges)
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		for _, r := range listReads(oldCharges) {
			t.Run(mode+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				for _, p := range plansOf(t, address, mode, r.do) {
					p.check(t)
				}
			})
		}
	}
}

// oldShop returns the address of a database with the shop, and with fresh statistics.
func oldShop(t *testing.T, shop, others int) (address string) {
	t.Helper()
	fill, err := os.ReadFile("testdata/oldshop.sql")
	require.NoError(t, err)
	address = pgtest.NewURL(t)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	sizes := fmt.Sprintf("SET old.shop = '%d'; SET old.others = '%d';", shop, others)
	for _, sql := range []string{sizes + string(fill), "VACUUM ANALYZE"} {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	require.NoError(t, conn.Close(t.Context()))
	return address
}

// plan is a step of a query's plan as the server ran it, with its sub-steps.
type plan struct {
	Node     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Rechecks float64 `json:"Rows Removed by Index Recheck"`
	Steps    []plan  `json:"Plans"`
}

// check fails if a step examines more rows than a list may, or reads a large table
// completely.
func (p plan) check(t *testing.T) {
	t.Helper()
	rows := (p.Rows + p.Filtered + p.Rechecks) * max(p.Loops, 1)
	require.LessOrEqual(t, int(rows), lookedAt, "%s of %s%s", p.Node, p.Relation, p.Index)
	if p.Node == "Seq Scan" {
		require.Contains(t, []string{"", "merchants", "wallets", "webhooks", "alerts", "audit", "event_feeds"}, p.Relation)
	}
	for _, step := range p.Steps {
		step.check(t)
	}
}

// plansOf runs a read and returns the plans of its queries.
func plansOf(t *testing.T, address, mode string, read func(context.Context, *postgres.Store) error) []plan {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	settings := u.Query()
	for name, value := range map[string]string{
		"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on",
		"auto_explain.log_format": "json", "client_min_messages": "log", "plan_cache_mode": mode, "jit": "off",
	} {
		settings.Set(name, value)
	}
	u.RawQuery = settings.Encode()
	cfg, err := pgxpool.ParseConfig(u.String())
	require.NoError(t, err)
	var mu sync.Mutex
	var plans []plan
	cfg.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		_, text, found := strings.Cut(n.Message, "plan:\n")
		if !found {
			return
		}
		var said struct {
			Plan plan `json:"Plan"`
		}
		mu.Lock()
		defer mu.Unlock()
		if json.Unmarshal([]byte(text), &said) == nil {
			plans = append(plans, said.Plan)
		}
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, read(t.Context(), &postgres.Store{Queries: db.New(pool)}))
	pool.Close()
	require.NotEmpty(t, plans)
	return plans
}

type listRead struct {
	name string
	do   func(ctx context.Context, s *postgres.Store) error
}

// lastDays is how many days the sums of the desks go back in this test.
const lastDays = -2

// listReads returns the reads of the desks and their API for a shop with this number
// of charges. If a read has pages, they are the first, a middle and the last page.
func listReads(charges int) []listRead {
	return append(append(searchReads(charges), shopReads(charges)...), append(operatorReads(), lookups(charges)...)...)
}

// The shop and its time.
var (
	oldShopID  = strings.Repeat("a", 32)
	oldShopNow = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func oldChargeID(n int) string { return fmt.Sprintf("ch_1%023x", n) }

// searchReads returns the searches of charges, by status and by text.
func searchReads(charges int) []listRead {
	var reads []listRead
	for name, text := range map[string]string{"all": "", "common text": "cups", "rare text": "rare teapot", "no match": "nowhere", "order": "order-77"} {
		for _, status := range []string{"", "New", "Settled", "Invalid"} {
			for page, n := range map[string]int{"first": 0, "middle": charges / 2, "last": charges - 30} {
				f := postgres.ChargeSearch{
					MerchantID: oldShopID, Mode: config.Live, InvoiceStatus: status, Text: text, OrderKey: text, To: oldShopNow.AddDate(1, 0, 0), Limit: 20,
				}
				if n > 0 {
					f.Cursor = fmt.Sprintf("%d-%s", oldShopNow.Add(-time.Duration(n)*time.Minute).UnixMicro(), oldChargeID(n))
				}
				reads = append(reads, listRead{"charges/" + name + "/" + status + "/" + page, func(ctx context.Context, s *postgres.Store) error {
					_, err := s.FindCharges(ctx, f, oldShopNow)
					return err
				}})
			}
		}
	}
	for _, kind := range postgres.AttentionKinds() {
		f := postgres.ChargeSearch{MerchantID: oldShopID, Mode: config.Live, Attention: kind, To: oldShopNow.AddDate(1, 0, 0), Limit: 20}
		reads = append(reads, listRead{"charges/" + kind, func(ctx context.Context, s *postgres.Store) error {
			_, err := s.FindCharges(ctx, f, oldShopNow)
			return err
		}})
	}
	return reads
}

// of returns a read whose rows are ignored.
func of[P, R any](name string, query func(*postgres.Store) func(context.Context, P) (R, error), params P) listRead {
	return listRead{name, func(ctx context.Context, s *postgres.Store) error {
		_, err := query(s)(ctx, params)
		return err
	}}
}

// shopReads returns the other reads of a merchant.
func shopReads(charges int) []listRead {
	const live, limit = string(config.Live), 50
	days := oldShopNow.AddDate(0, 0, lastDays)
	order := "order-77"
	reads := []listRead{
		{"charges of an order", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.Charges(ctx, oldShopID, config.Live, &order, limit, oldShopNow)
			return err
		}},
		{"charge", func(ctx context.Context, s *postgres.Store) error {
			_, err := s.Charge(ctx, oldChargeID(charges/2), oldShopNow)
			return err
		}},
		of("days", func(s *postgres.Store) func(context.Context, db.LedgerDaysParams) ([]db.LedgerDaysRow, error) {
			return s.LedgerDays
		},
			db.LedgerDaysParams{MerchantID: oldShopID, Mode: live, Since: days}),
		of("attention", func(s *postgres.Store) func(context.Context, db.CountAttentionParams) (db.CountAttentionRow, error) {
			return s.CountAttention
		},
			db.CountAttentionParams{MerchantID: oldShopID, Mode: live, DeliveriesSince: oldShopNow.AddDate(0, 0, -7)}),
		of("failed deliveries", func(s *postgres.Store) func(context.Context, db.ListFailedDeliveriesParams) ([]db.ListFailedDeliveriesRow, error) {
			return s.ListFailedDeliveries
		}, db.ListFailedDeliveriesParams{MerchantID: oldShopID, Mode: live, Since: oldShopNow.AddDate(0, 0, -7), MaxRows: limit}),
		of("refunds to approve", func(s *postgres.Store) func(context.Context, db.ListRefundsToApproveParams) ([]db.Refund, error) {
			return s.ListRefundsToApprove
		}, db.ListRefundsToApproveParams{MerchantID: oldShopID, MaxRows: limit}),
		of("in payouts", func(s *postgres.Store) func(context.Context, string) (money.Piconero, error) {
			return s.InPayouts
		}, oldShopID),
		of("report", func(s *postgres.Store) func(context.Context, db.SumLedgerParams) (db.SumLedgerRow, error) {
			return s.SumLedger
		},
			db.SumLedgerParams{FiatCurrency: "EUR", MerchantID: oldShopID, Mode: live, Since: days, Until: oldShopNow}),
		of("ledger", func(s *postgres.Store) func(context.Context, db.ListLedgerParams) ([]db.ListLedgerRow, error) {
			return s.ListLedger
		},
			db.ListLedgerParams{MerchantID: oldShopID, Mode: live, Until: oldShopNow, AfterAt: days, Batch: 1000}),
		of("deliveries", func(s *postgres.Store) func(context.Context, db.ListDeliveriesParams) ([]db.ListDeliveriesRow, error) {
			return s.ListDeliveries
		},
			db.ListDeliveriesParams{MerchantID: oldShopID, Mode: live, Limit: limit}),
		of("deliveries of a webhook", func(s *postgres.Store) func(context.Context, db.ListDeliveriesByWebhookParams) ([]db.ListDeliveriesByWebhookRow, error) {
			return s.ListDeliveriesByWebhook
		}, db.ListDeliveriesByWebhookParams{WebhookID: "wh_a", MerchantID: oldShopID, Mode: live, Limit: limit}),
		of("deliveries of a charge", func(s *postgres.Store) func(context.Context, db.ListDeliveriesOfParams) ([]db.ListDeliveriesOfRow, error) {
			return s.ListDeliveriesOf
		}, db.ListDeliveriesOfParams{MerchantID: oldShopID, Mode: live, Limit: limit, ResourceID: oldChargeID(charges - 1)}),
		of("payment requests", func(s *postgres.Store) func(context.Context, db.ListPaymentRequestsParams) ([]db.PaymentRequest, error) {
			return s.ListPaymentRequests
		}, db.ListPaymentRequestsParams{MerchantID: oldShopID, Mode: live, Limit: limit}),
		of("refunds", func(s *postgres.Store) func(context.Context, db.ListRefundsParams) ([]db.Refund, error) {
			return s.ListRefunds
		},
			db.ListRefundsParams{MerchantID: oldShopID, Limit: limit}),
		of("refunds of a charge", func(s *postgres.Store) func(context.Context, string) ([]db.Refund, error) { return s.RefundsOfCharge }, oldChargeID(22)),
		of("held by refunds", inRefunds, db.InRefundsParams{MerchantID: oldShopID, Now: oldShopNow}),
		of("balance", func(s *postgres.Store) func(context.Context, db.UnpaidSummaryParams) (db.UnpaidSummaryRow, error) {
			return s.UnpaidSummary
		},
			db.UnpaidSummaryParams{MerchantID: oldShopID, WalletID: live}),
		of("payouts", func(s *postgres.Store) func(context.Context, db.ListPayoutsParams) ([]db.Payout, error) {
			return s.ListPayouts
		},
			db.ListPayoutsParams{MerchantID: oldShopID, Limit: limit}),
	}
	for page, n := range map[string]int{"first": 0, "middle": charges / 2, "last": charges * 98 / 100} {
		q := postgres.FeedQuery{MerchantID: oldShopID, Mode: config.Live, Types: []string{"charge.expired"}, Limit: limit}
		reads = append(reads, listRead{"feed/" + page, func(ctx context.Context, s *postgres.Store) error {
			if n > 0 {
				at, err := s.EventAtPlace(ctx, db.EventAtPlaceParams{MerchantID: oldShopID, Mode: live, Place: int64(n)})
				if err != nil {
					return err
				}
				q.After = fmt.Sprintf("%d-%d", n, at.UnixMilli())
			}
			_, err := s.Feed(ctx, q)
			return err
		}})
	}
	return reads
}

func inRefunds(s *postgres.Store) func(context.Context, db.InRefundsParams) (money.Piconero, error) {
	return s.InRefunds
}

func operatorReads() []listRead {
	const limit, last = 50, 1 << 62
	return []listRead{
		of("merchants", func(s *postgres.Store) func(context.Context, db.ListMerchantsParams) ([]db.ListMerchantsRow, error) {
			return s.ListMerchants
		},
			db.ListMerchantsParams{VolumeSince: oldShopNow.AddDate(0, 0, lastDays), MaxRows: limit}),
		of("unmatched", func(s *postgres.Store) func(context.Context, db.ListUnmatchedParams) ([]db.ListUnmatchedRow, error) {
			return s.ListUnmatched
		},
			db.ListUnmatchedParams{Before: last, MaxRows: limit}),
		of("undelivered", func(s *postgres.Store) func(context.Context, db.ListUndeliveredParams) ([]db.ListUndeliveredRow, error) {
			return s.ListUndelivered
		}, db.ListUndeliveredParams{Before: oldShopNow, MaxRows: limit}),
		of("unsettled payouts", func(s *postgres.Store) func(context.Context, db.UnsettledPayoutsParams) ([]db.UnsettledPayoutsRow, error) {
			return s.UnsettledPayouts
		}, db.UnsettledPayoutsParams{AlertKind: "payout", Before: oldShopNow, MaxRows: limit}),
		of("unbacked", func(s *postgres.Store) func(context.Context, int32) ([]db.UnbackedChargesRow, error) {
			return s.UnbackedCharges
		}, limit),
		of("waiting claims", func(s *postgres.Store) func(context.Context, db.WaitingClaimsParams) ([]db.WaitingClaimsRow, error) {
			return s.WaitingClaims
		},
			db.WaitingClaimsParams{Before: oldShopNow, MaxRows: limit}),
	}
}
