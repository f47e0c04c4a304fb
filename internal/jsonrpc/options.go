package jsonrpc

import (
	"cmp"
	"time"
)

// Options bound the calls of a client. A zero field takes its default.
type Options struct {
	// CallTimeout bounds a short call. Default 10 seconds.
	CallTimeout time.Duration
	// LongTimeout bounds a call that takes long: building a transaction,
	// refreshing, storing, mining. Default 5 minutes.
	LongTimeout time.Duration
	// RetryPause is the pause before the second attempt of a safe call whose
	// connection broke. Default 200 milliseconds.
	RetryPause time.Duration
	// BreakerFailures is the number of consecutive transport failures after which
	// calls fail at once. Default 5.
	BreakerFailures uint32
	// BreakerPause is how long calls then fail at once, before one call tries the
	// process again. Default 5 seconds.
	BreakerPause time.Duration
	// Observe is called after every call with its outcome; nil observes none.
	Observe func(method string, err error)
}

func (o Options) withDefaults() Options {
	o.CallTimeout, o.LongTimeout = cmp.Or(o.CallTimeout, 10*time.Second), cmp.Or(o.LongTimeout, 5*time.Minute)
	o.RetryPause, o.BreakerPause = cmp.Or(o.RetryPause, 200*time.Millisecond), cmp.Or(o.BreakerPause, 5*time.Second)
	o.BreakerFailures = cmp.Or(o.BreakerFailures, 5)
	if o.Observe == nil {
		o.Observe = func(string, error) {}
	}
	return o
}
