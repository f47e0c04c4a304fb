package fanout

import (
	"log/slog"
	"time"

	"github.com/durapay/durapay/internal/provider"
)

// notAsked is the outcome of a question that was not put: the provider has too
// many open, or is asked too often.
const notAsked = "not_asked"

// logPause is between two lines about one provider that fails.
const logPause = time.Minute

// report tells operators how providers answer; the zero value tells nobody.
type report struct {
	count func(provider, outcome string)
	log   *slog.Logger
	// said is when a provider was last in the log.
	said map[string]time.Time
}

// Report has the outcome of every question counted, in the words of
// provider.Outcome or not_asked, and has it logged when a provider fails: at
// most once a minute for each, by its name and by errors that repeat nothing it
// wrote. It must be called before the first question.
func (b *Fanout) Report(count func(provider, outcome string), log *slog.Logger) {
	b.report = report{count: count, log: log, said: map[string]time.Time{}}
}

// answered reports how a question ended; the caller holds the lock.
func (r report) answered(name string, err error, at time.Time) {
	outcome := provider.Outcome(err)
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
