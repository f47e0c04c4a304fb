package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	goodReceivers = 9
	// hangBar is how far the good receivers' p99 may move.
	hangBar = 0.10
	// mostCharges bounds the charges a second that one client makes here.
	mostCharges = 20
	burstClient = 4
)

func goodPath(i int) string { return "/good/" + strconv.Itoa(i) }

func goodPaths() []string {
	var paths []string
	for i := range goodReceivers {
		paths = append(paths, goodPath(i))
	}
	return paths
}

// webhookTurn is how long the tenth receiver answers, or hangs, at a time.
func (b *bench) webhookTurn() time.Duration { return 3 * b.sizes.slice }

func (b *bench) webhookAddresses() int {
	turns := b.webhookTurn() * time.Duration(2*b.sizes.rounds)
	return b.sizes.burst + int(2*turns.Seconds())*mostCharges
}

// webhooks measures how many deliveries are made, and that nine receivers do
// not notice a tenth that hangs.
func (b *bench) webhooks(ctx context.Context) error {
	good, err := b.fixture.openShop(ctx, []string{ourEvent}, goodPaths()...)
	if err != nil {
		return err
	}
	if err := b.deliveryRate(ctx, good); err != nil {
		return err
	}
	shared, err := b.fixture.openShop(ctx, []string{ourEvent}, append(goodPaths(), hangingPath)...)
	if err != nil {
		return err
	}
	defer b.fixture.inbox.hang(false)
	var samples [2][]time.Duration
	for n := range 2 * b.sizes.rounds {
		side := turn(n)
		b.fixture.inbox.hang(side == 1)
		more, err := shared.deliveries(ctx, b.webhookTurn())
		if err != nil {
			return err
		}
		samples[side] = append(samples[side], more...)
	}
	b.fixture.inbox.hang(false)
	answering, hanging := samples[0], samples[1]
	ratio := quotient(percentile(hanging, 99), percentile(answering, 99))
	b.table.add(row{
		measure: "delivery to nine receivers while a tenth hangs", value: spread(hanging),
		reference: "it answers: " + spread(answering), ratio: ratioText(ratio) + " (p99)",
		bar: "p99 ± 10 %", met: ratio >= 1-hangBar && ratio <= 1+hangBar,
	})
	return nil
}

// deliveryRate takes the time of one burst.
func (b *bench) deliveryRate(ctx context.Context, s *shop) error {
	took, err := s.burst(ctx, b.sizes.burst, ourEvent)
	if err != nil {
		return err
	}
	rate := float64(b.sizes.burst*goodReceivers) / took.Seconds()
	b.table.add(row{
		measure: "webhook deliveries, their charges' creation included", value: perSecond(rate),
		reference: fmt.Sprintf("%d charges × %d receivers", b.sizes.burst, goodReceivers),
	})
	return nil
}

// burst makes so many charges, each with an event for nine receivers, and takes the
// time until the last has it.
func (s *shop) burst(ctx context.Context, charges int, event string) (time.Duration, error) {
	begun := time.Now()
	ids := make(chan string, charges)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(burstClient)
	for range charges {
		group.Go(func() error {
			c, err := s.charge(groupCtx)
			ids <- c.ID
			return err
		})
	}
	err := group.Wait()
	close(ids)
	if err != nil {
		return 0, err
	}
	last := begun
	for id := range ids {
		at, err := s.delivered(ctx, event, id)
		if err != nil {
			return 0, err
		}
		for _, t := range at {
			if t.After(last) {
				last = t
			}
		}
	}
	return last.Sub(begun), nil
}

// deliveries makes one charge after the other and returns, for each of the
// good receivers, the time from the begin of the request to the event's arrival. It
// makes one at least.
func (s *shop) deliveries(ctx context.Context, during time.Duration) ([]time.Duration, error) {
	var samples []time.Duration
	for end := time.Now().Add(during); len(samples) == 0 || time.Now().Before(end); {
		begun := time.Now()
		c, err := s.charge(ctx)
		if err != nil {
			return nil, err
		}
		arrived, err := s.delivered(ctx, ourEvent, c.ID)
		if err != nil {
			return nil, err
		}
		for _, at := range arrived {
			samples = append(samples, at.Sub(begun))
		}
	}
	return samples, nil
}

// ourEvent is the event of a new charge in our own shape.
const ourEvent = "charge.created"

// delivered is when each of the good receivers got the event of a new charge.
func (s *shop) delivered(ctx context.Context, event, id string) ([]time.Time, error) {
	times := make([]time.Time, goodReceivers)
	for i := range times {
		var err error
		if times[i], err = s.fixture.inbox.await(ctx, arrival{goodPath(i), event, id}); err != nil {
			return nil, err
		}
	}
	return times, nil
}
