package report

import (
	"strings"
	"unicode"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// Transaction is one confirmed charge of a report.
type Transaction struct {
	ChargeID          string         `json:"charge_id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	CreatedAt         wire.Time      `json:"created_at" doc:"Creation of the charge"`
	ConfirmedAt       wire.Time      `json:"confirmed_at" doc:"Confirmation of the charge"`
	Amount            money.Decimal  `json:"amount" doc:"Amount asked for, in currency"`
	Currency          money.Currency `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	AmountXMR         money.Piconero `json:"amount_xmr" doc:"Amount asked for in XMR"`
	AmountReceivedXMR money.Piconero `json:"amount_received_xmr" doc:"Sum of the payments seen at confirmation, in XMR"`
	OrderID           *string        `json:"order_id" doc:"The merchant's own identifier"`
	PayoutID          *string        `json:"payout_id" doc:"Payout that swept it; null before"`
	// Fiat is nil when it was not asked for: its fields are absent then.
	*Fiat
}

// Fiat is what a charge was worth when it was confirmed. When reporting was off then, or no price
// was usable, it is the value at the charge's own rate. All fields are nil for a charge in XMR that
// has no value.
type Fiat struct {
	FiatValue    *money.Decimal  `json:"fiat_value" required:"false" nullable:"true" doc:"Value of amount_received_xmr at confirmation, 2 decimals; at the charge's own rate, in its own currency, if reporting was off then"`
	FiatCurrency *money.Currency `json:"fiat_currency" required:"false" nullable:"true" enum:"USD,EUR" doc:"Currency of fiat_value"`
	FiatRate     *money.Decimal  `json:"fiat_rate" required:"false" nullable:"true" doc:"Fiat per XMR at confirmation, or the charge's own rate"`
}

// ValueOf is the fiat value of an amount at a rate (fiat per XMR), rounded to
// 2 decimals.
func ValueOf(received money.Piconero, rate money.Decimal) money.Decimal {
	return received.Decimal().Mul(rate).Round(money.USD.Decimals())
}

// Own is the value of a charge in its own currency, at the rate at which its price was converted.
// price is in that currency, asked and received are in piconero.
func Own(price money.Decimal, currency money.Currency, asked, received money.Piconero) *Fiat {
	rate, err := price.Div(asked.Decimal(), ownRateDecimals)
	if err != nil {
		return &Fiat{} // nothing was asked for
	}
	value, err := price.Mul(received.Decimal()).Div(asked.Decimal(), currency.Decimals())
	if err != nil {
		return &Fiat{}
	}
	return &Fiat{FiatValue: &value, FiatCurrency: &currency, FiatRate: &rate}
}

// ownRateDecimals is the number of decimals of a rate that is computed from a price.
const ownRateDecimals = 8

// Columns are the names of the cells of Record.
func Columns(fiat bool) []string {
	names := []string{
		"charge_id", "created_at", "confirmed_at", "amount", "currency", "amount_xmr", "amount_received_xmr",
		"order_id", "payout_id",
	}
	if fiat {
		names = append(names, "fiat_value", "fiat_currency", "fiat_rate")
	}
	return names
}

// Record is the transaction as a line of a spreadsheet. A field without a
// value is an empty cell.
func (t Transaction) Record() []string {
	cells := []string{
		t.ChargeID, t.CreatedAt.String(), t.ConfirmedAt.String(), t.Amount.String(), string(t.Currency),
		t.AmountXMR.String(), t.AmountReceivedXMR.String(), "", "",
	}
	if t.OrderID != nil {
		cells[7] = Cell(*t.OrderID)
	}
	if t.PayoutID != nil {
		cells[8] = *t.PayoutID
	}
	if t.Fiat == nil {
		return cells
	}
	if t.FiatValue == nil || t.FiatCurrency == nil || t.FiatRate == nil {
		return append(cells, "", "", "")
	}
	return append(cells, t.FiatValue.String(), string(*t.FiatCurrency), t.FiatRate.String())
}

// formulaStarts begin what a spreadsheet runs instead of showing it, in their
// full-width forms too.
const formulaStarts = "=+-@＝＋－＠"

// Cell returns a text that a spreadsheet shows as it is. A text that would run as a
// formula gets an apostrophe in front, as does one that begins with a tab or a line
// break, because some spreadsheets look for a formula after it.
func Cell(text string) string {
	if text == "" {
		return text
	}
	begin := strings.TrimLeftFunc(text, ignored)
	if strings.ContainsAny(text[:1], "\t\r\n") || (begin != "" && strings.ContainsRune(formulaStarts, []rune(begin)[0])) {
		return "'" + text
	}
	return text
}

// ignored reports whether a spreadsheet may skip the character before a formula.
func ignored(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '"' || r == '\''
}
