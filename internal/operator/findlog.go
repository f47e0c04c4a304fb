package operator

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/internal/wire"
)

// logName matches what logs call a charge or a trade: see telemetry.LogName.
var logName = regexp.MustCompile(`(ch_)?([0-9a-f]{4})~[0-9a-f]{12}`)

// mostNamed is the number of rows whose log names one search compares. They are those with the
// same first four digits, one of 65,536.
const mostNamed = 5000

// byLogName finds the charge or trade that a line of the log names.
func (f *finder) byLogName(ctx context.Context) error {
	found := logName.FindStringSubmatch(f.text)
	if found == nil {
		return nil
	}
	name, prefix, digits := found[0], found[1], found[2]
	first := prefix + digits
	beyond := prefix + after4(digits)
	if prefix == "" {
		trades, err := f.Store.TradesBetween(ctx, db.TradesBetweenParams{First: first, Beyond: beyond, MaxRows: mostNamed})
		for _, t := range trades {
			if telemetry.LogName(t.ID) == name {
				f.add(tradeFound(t.ID, t.Status, t.CreatedAt, "log"))
			}
		}
		return err
	}
	charges, err := f.Store.ChargesBetween(ctx, db.ChargesBetweenParams{First: first, Beyond: beyond, MaxRows: mostNamed})
	for _, c := range charges {
		if telemetry.LogName(c.ID) == name {
			f.add(FoundItem{FoundCharge, c.ID, c.Status, config.Mode(c.Mode), &c.MerchantID, "log", wire.TimeOf(c.CreatedAt)})
		}
	}
	return err
}

// after4 returns a text that follows every text with these four hex digits.
func after4(digits string) string {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n == 0xffff {
		return "g"
	}
	return fmt.Sprintf("%04x", n+1)
}
