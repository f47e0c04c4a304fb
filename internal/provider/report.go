package provider

import (
	"log/slog"
	"time"
)

// notAsked is the outcome of a request that was not sent, because the provider
// has too many running requests or is asked too often.
const notAsked = "not_asked"

// logPause is the minimum time between two log lines about the same failing
// provider.
const logPause = time.Minute

// report counts and logs the outcomes of requests. The zero value does neither.
type report struct {
	count func(provider, outcome string)
	log   *slog.Logger
	// said is the time of the last log line about each provider.
	said map[string]time.Time
}

// Report makes the fan-out call count with the outcome of every request: a word
// of Outcome, or not_asked. It also makes it log failures, at most
// once a minute for each provider. The log has the provider's name and errors
// that do not contain the provider's text. Report must be called before the
// first request.
func (b *Fanout) Report(count func(provider, outcome string), log *slog.Logger) {
	b.report = report{count: count, log: log, said: map[string]time.Time{}}
}

// answered reports the outcome of a request. The caller holds the lock.
func (r report) answered(name string, err error, at time.Time) {
	outcome := Outcome(err)
	r.counted(name, outcome)
	if r.log == nil || (outcome != "unavailable" && outcome != "fault") || at.Sub(r.said[name]) < logPause {
		return
	}
	r.said[name] = at
	r.log.Warn("a provider gives no quotes", "provider", name, "outcome", outcome, "error", err)
}

func (r report) counted(name, outcome string) {
	if r.count != nil {
		r.count(name, outcome)
	}
}
