package service

import (
	"errors"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
)

// Prices returns the current exchange rate from memory.
type Prices interface {
	Price(currency money.Currency) (rates.Quote, error)
}

// CheckAmount checks an amount and its currency.
func CheckAmount(amount *money.Decimal, currency *string) (money.Decimal, money.Currency, error) {
	if amount == nil {
		return money.Decimal{}, "", httpapi.BadRequest("amount is required")
	}
	c := money.USD
	if currency != nil {
		var err error
		if c, err = money.ParseCurrency(*currency); err != nil {
			return money.Decimal{}, "", httpapi.BadRequest("currency must be one of: USD, EUR, XMR")
		}
	}
	switch err := money.CheckAmount(*amount, c); {
	case err == nil:
		return *amount, c, nil
	case errors.Is(err, money.ErrRange):
		return money.Decimal{}, "", httpapi.BadRequest("amount must be %s to %s", money.MinAmount, money.MaxAmount)
	default:
		return money.Decimal{}, "", httpapi.BadRequest("amount must have at most %d decimals", c.Decimals())
	}
}
