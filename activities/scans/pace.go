package scans

import "time"

const (
	// restInterval is between the begins of two polls while the publisher is heard
	// and all is quiet, where the interval is not longer.
	restInterval = 5 * time.Second
	// hintGap is the least time between the begins of two scans that a hint calls
	// for: on a busy chain a message comes with every payment of anybody.
	hintGap = 250 * time.Millisecond
	// distrustFor is for how long a publisher is not relied on that did not announce
	// what a poll found.
	distrustFor = time.Minute
)

// call is what called for a scan.
type call uint8

const (
	// byStart is the first scan, which finds what came before.
	byStart call = iota
	byPoll
	byHint
)

// pace decides when the next scan is due.
type pace struct {
	interval time.Duration

	// called says what called for the scan, and begun when it began.
	called call
	begun  time.Time
	// announced says that there was a hint since the last poll began.
	announced bool
	// distrusted is until when the publisher is not relied on.
	distrusted time.Time
	// heard says that the publisher is relied on, quiet that the scan found nothing to
	// come back for soon.
	heard, quiet bool
}

// begin notes the begin of a scan, and whether it took a hint with it.
func (p *pace) begin(now time.Time, hinted bool) {
	p.begun = now
	p.announced = p.announced || hinted || p.called == byHint
}

// end notes what a scan found, whether a connection to the publisher stands, and
// whether a hint waits. A publisher that did not announce what a poll found is not
// relied on for a while.
func (p *pace) end(now time.Time, found Outcome, connected, hinted bool) {
	p.announced = p.announced || hinted
	if p.called == byPoll {
		if connected && found.News && !p.announced {
			p.distrusted = now.Add(distrustFor)
		}
		p.announced = false
	}
	p.heard = connected && !now.Before(p.distrusted)
	p.quiet = found.Quiet
}

// due is when the next poll is. A hint can come before the wallet knows what it is
// about, so it alone is no reason to wait longer.
func (p *pace) due() time.Time {
	pause := p.interval
	if p.heard && p.quiet && p.called == byPoll {
		pause = max(pause, restInterval)
	}
	return p.begun.Add(pause)
}

// calm is from when a hint may call for a scan.
func (p *pace) calm() time.Time { return p.begun.Add(hintGap) }
