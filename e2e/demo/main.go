// Command demo takes payments and makes swaps from end to end on the development
// stack and checks every step. A merchant signs up, a customer pays a charge, the
// merchant receives the events and is paid out. Then a customer clicks on the
// merchant's payment button in a browser without script, fills in the form and
// pays. The merchant connects a plugin of a shop, which sells through the
// Greenfield surface and gives half of the money back by a link. Last, a partner of
// the exchange has Monero swapped for Litecoin and back, from the quote to the
// arrival on the other chain, and receives each status. demo exits with 0 only if
// every check passed. `make demo` starts the stack first.
package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// patience is how long the whole demonstration may take.
const patience = 10 * time.Minute

func main() {
	os.Exit(fixture.Main("demo", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		d, err := open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(d.tell(ctx), d.close())
	}))
}
