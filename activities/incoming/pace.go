package incoming

import "time"

const (
	// restInterval is the time between the starts of two polls while the publisher is relied
	// on and all is quiet, unless the interval is longer.
	restInterval = 5 * time.Second
	// hintGap is the least time between the starts of two scans that a hint causes: on a
	// busy chain a message comes with every payment on the network.
	hintGap = 250 * time.Millisecond
)

// call is the cause of a scan.
type call uint8

const (
	// byStart is the first scan, which finds everything that came before it.
	byStart call = iota
	byPoll
	byHint
)

// pace decides when the next scan is due.
type pace struct {
	interval time.Duration

	// called is the cause of the scan; begun and ended are its times.
	called       call
	begun, ended time.Time
	// hinted is set if the scan follows a hint, announced if a hint came since the last poll
	// began.
	hinted, announced bool
	// proven is set if the publisher has announced a payment, and every later payment or
	// block that a poll found.
	proven bool
	// The first is set if the publisher is relied on, the second if the scan found no reason
	// for another scan soon.
	heard, quiet bool
}

// begin records the start of a scan, and whether it took a hint with it.
func (p *pace) begin(now time.Time, hinted bool) {
	p.begun, p.hinted = now, hinted || p.called == byHint
	p.announced = p.announced || p.hinted
}

// end records the end of a scan, its outcome, whether the publisher is connected, and
// whether a hint waits. A publisher is relied on once it has announced a payment, and
// until a poll finds something that it has not announced: some daemons announce only
// blocks, or only some payments. So a payment that is found together with a block proves
// nothing, because the hint may have been for the block.
func (p *pace) end(now time.Time, found Outcome, connected, hinted bool) {
	p.ended = now
	switch {
	case !connected || p.called == byStart:
	case found.Payment && !found.Block && p.hinted:
		p.proven = true
	case p.called == byPoll && (found.Payment || found.Block) && !p.announced && !hinted:
		p.proven = false
	}
	if p.called == byPoll {
		p.announced = false
	}
	p.announced = p.announced || hinted
	p.heard, p.quiet = connected && p.proven, found.Quiet
}

// due returns when the next poll starts. A hint can come before the wallet knows its
// payment, so a scan that had one is no reason to wait longer.
func (p *pace) due() time.Time {
	pause := p.interval
	if p.heard && p.quiet && p.called == byPoll && !p.hinted {
		pause = max(pause, restInterval)
	}
	return p.begun.Add(pause)
}

// calm returns the time from which a hint may cause a scan. The wallet is free for other
// callers as long as the scan took, at most for the interval.
func (p *pace) calm() time.Time {
	gap, rested := p.begun.Add(hintGap), p.ended.Add(min(p.ended.Sub(p.begun), p.interval))
	if rested.After(gap) {
		return rested
	}
	return gap
}
