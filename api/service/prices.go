package service

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
)

// Prices returns the current exchange rate from memory.
type Prices interface {
	Price(currency money.Currency) (rates.Quote, error)
}
