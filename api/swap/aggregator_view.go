package swap

import (
	"strings"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

// expiryLayout is the time format of the end of the deposit window.
const expiryLayout = "2006-01-02 15:04:05-07:00"

// order holds the fields that all answers about a trade share. Missing memos are empty.
type order struct {
	head

	Type          string `json:"type"`
	Deposit       string `json:"address_provider"`
	DepositMemo   string `json:"address_provider_memo"`
	Address       string `json:"address_user"`
	AddressMemo   string `json:"address_user_memo"`
	Refund        string `json:"refund_address"`
	RefundMemo    string `json:"refund_address_memo"`
	Password      string `json:"password"`
	IDProvider    string `json:"id_provider"`
	AffiliateName string `json:"affiliate_partner"`
}

// details has the hash of the payout, or null.
type details struct {
	ETA     int64   `json:"original_eta"`
	HashOut *string `json:"hashout"`
}

// created is the answer of new_trade.
type created struct {
	order

	Quotes  policies `json:"quotes"`
	Details details  `json:"details"`
}

// window is the contact for help and the end of the deposit window.
type window struct {
	Support   struct{} `json:"support"`
	ExpiresAt string   `json:"expiresAt"`
}

type foundQuotes struct {
	policies
	window
}

type foundDetails struct {
	details
	window
}

// found is the element of the answer of trade.
type found struct {
	order

	HashOut string       `json:"hashout"`
	Quotes  foundQuotes  `json:"quotes"`
	Details foundDetails `json:"details"`
}

// created shows a trade as it was created, not its current state.
func (s *aggregators) created(row db.Trade) (any, error) {
	o, err := s.orderOf(row)
	o.Status = word(trade.AwaitingDeposit)
	return created{o, s.policiesOf(row), details{ETA: s.eta(row)}}, err
}

// trade shows the state of a trade. Its amounts are the agreed ones and, after the payout was
// sent, the received and the paid ones.
func (s *aggregators) trade(r aggregatorCall) (any, error) {
	id, err := r.query.needed("id")
	if err != nil {
		return nil, err
	}
	row, err := s.Store.GetTrade(r.Context(), id)
	if err != nil {
		return nil, httpapi.Missing(err, httpapi.NotFound("trade"))
	}
	txs, err := s.Store.TradeTransactions(r.Context(), id)
	if err != nil {
		return nil, err
	}
	o, err := s.orderOf(row)
	if txs.Paid.Sign() > 0 {
		o.AmountFrom, o.AmountTo = double(row.Received), double(txs.Paid)
	}
	f := found{order: o, HashOut: txs.PayoutTx, Quotes: foundQuotes{policies: s.policiesOf(row)}}
	f.Details.ETA = s.eta(row)
	if txs.PayoutTx != "" {
		f.Details.HashOut = &txs.PayoutTx
	}
	f.Quotes.ExpiresAt = row.ExpiresAt.UTC().Format(expiryLayout)
	f.Details.ExpiresAt = f.Quotes.ExpiresAt
	return []found{f}, err
}

func (s *aggregators) orderOf(row db.Trade) (order, error) {
	details, err := s.Details(row)
	return order{
		head: head{
			TradeID: row.ID, Date: wire.TimeOf(row.CreatedAt), Status: word(trade.Status(row.Status)),
			TickerFrom: row.TickerFrom, TickerTo: row.TickerTo, CoinFrom: name(row.TickerFrom, row.NetworkFrom),
			CoinTo: name(row.TickerTo, row.NetworkTo), NetworkFrom: row.NetworkFrom, NetworkTo: row.NetworkTo,
			AmountFrom: double(row.AmountFrom), AmountTo: double(row.AmountTo), Provider: row.Provider,
		},
		Type: "api", Deposit: row.DepositAddress, DepositMemo: web.OrEmpty(details.DepositMemo), Address: details.Address, AddressMemo: web.OrEmpty(details.ExtraID),
		Refund: details.Refund, RefundMemo: web.OrEmpty(details.RefundMemo), Password: details.Password, IDProvider: row.IDProvider,
	}, err
}

// policiesOf returns the policies of the provider that fills a trade.
func (s *aggregators) policiesOf(row db.Trade) policies {
	rating := Rating
	if p, upstream := s.Quoter.Fanout.Provider(row.Provider); upstream {
		rating = string(p.Profile().Rating)
	}
	return policiesOf(int64(row.Markup), rating)
}

// eta returns the expected duration of a trade of this pair in minutes; 0 if another provider
// fills it.
func (s *aggregators) eta(row db.Trade) int64 {
	if row.WalletFrom == nil {
		return 0
	}
	pair, ok := s.Quoter.Pair(row.TickerFrom, row.NetworkFrom, row.TickerTo, row.NetworkTo)
	if !ok {
		return 0 // the pair is not offered any more
	}
	return minutes(pair.ETA())
}

// name returns the common name of a coin.
func name(ticker, network string) string {
	c, _ := coin.Lookup(ticker, network)
	return c.Name
}

// word returns the dialect's word for a status. Clients know no other words.
func word(s trade.Status) string {
	switch s {
	case trade.AwaitingDeposit:
		return "waiting"
	case trade.DepositDetected, trade.Confirming:
		return "confirming"
	case trade.Processing, trade.Sending:
		return "sending"
	case trade.Completed:
		return "finished"
	case trade.Hold:
		return "halted"
	default:
		return string(s) // refunded, failed, expired
	}
}

// double is a number that clients read into a floating-point type: always with a decimal
// point, never with an exponent, with all of its digits.
type double money.Decimal

// MarshalJSON writes 20 as 20.0.
func (d double) MarshalJSON() ([]byte, error) {
	text := money.Decimal(d).String()
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}
