package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// busyClients make charges for one merchant as fast as they can.
	busyClients = 32
	// neighbourSlices are how many slices another's charges are timed at a time.
	neighbourSlices = 3
)

func (b *bench) neighbourTurn() time.Duration { return neighbourSlices * b.sizes.slice }

func (b *bench) neighbourAddresses() int {
	return int(b.neighbourTurn().Seconds()) * (mostPerSecond(busyClients) + 2*mostPerSecond(1))
}

// neighbour measures how long a merchant waits for charges, made one after the
// other, while another merchant's clients make as many as they can.
func (b *bench) neighbour(ctx context.Context) error {
	calm, err := b.fixture.openShop(ctx, nil)
	if err != nil {
		return err
	}
	alone, err := calm.waits(ctx, b.neighbourTurn())
	if err != nil {
		return err
	}
	var busy tally
	loadCtx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- busy.load(loadCtx, busyClients, time.Hour, b.crowd.post) }()
	beside, err := calm.waits(ctx, b.neighbourTurn())
	stop()
	if loadErr := <-ended; err == nil && !errors.Is(loadErr, context.Canceled) {
		err = loadErr
	}
	if err != nil {
		return err
	}
	after, err := calm.waits(ctx, b.neighbourTurn())
	if err != nil {
		return err
	}
	alone = append(alone, after...)
	b.table.add(row{
		measure: fmt.Sprintf("POST /api/charges while another merchant's %d clients make %s", busyClients, perSecond(busy.rate())),
		value:   spread(beside), reference: "alone: " + spread(alone),
		ratio: ratioText(quotient(percentile(beside, 50), percentile(alone, 50))) + " (p50)",
	})
	return nil
}

// waits makes charges one after the other and returns how long each took.
func (s *shop) waits(ctx context.Context, during time.Duration) ([]time.Duration, error) {
	var samples []time.Duration
	for end := time.Now().Add(during); time.Now().Before(end); {
		begun := time.Now()
		if err := s.post(ctx, 0); err != nil {
			return nil, err
		}
		samples = append(samples, time.Since(begun))
	}
	return samples, nil
}
