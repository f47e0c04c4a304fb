package operator

import (
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

func payoutFound(p db.Payout, by string) FoundItem {
	return FoundItem{FoundPayout, p.ID, p.Status, config.Live, &p.MerchantID, by, wire.TimeOf(p.CreatedAt)}
}

func swapFound(s db.Swap, by string) FoundItem {
	return FoundItem{FoundSwap, s.ID, s.Status, config.Live, &s.MerchantID, by, wire.TimeOf(s.CreatedAt)}
}

func tradeFound(id, status string, at time.Time, by string) FoundItem {
	return FoundItem{FoundTrade, id, status, config.Live, nil, by, wire.TimeOf(at)}
}

func merchantFound(m db.Merchant, by string) FoundItem {
	status := "active"
	switch {
	case m.DeletedAt != nil:
		status = "deleted"
	case m.SuspendedAt != nil:
		status = "suspended"
	}
	return FoundItem{FoundMerchant, m.MerchantID, status, config.Live, &m.MerchantID, by, wire.TimeOf(m.CreatedAt)}
}
