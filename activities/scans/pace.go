package scans

import "time"

const (
	// restInterval is between the begins of two polls while the publisher is heard
	// and all is quiet, where the interval is not longer.
	restInterval = 5 * time.Second
	// hintGap is the least time between the begins of two scans that a hint calls
	// for: on a busy chain a message comes with every payment of anybody.
	hintGap = 250 * time.Millisecond
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

	// called says what called for the scan, begun and ended when it did.
	called       call
	begun, ended time.Time
	// hinted says that the scan follows a hint, announced that one came since the last
	// poll began.
	hinted, announced bool
	// proven says that the publisher has announced a payment, and whatever polls found
	// since.
	proven bool
	// heard says that the publisher is relied on, quiet that the scan found nothing to
	// come back for soon.
	heard, quiet bool
}

// begin notes the begin of a scan, and whether it took a hint with it.
func (p *pace) begin(now time.Time, hinted bool) {
	p.begun, p.hinted = now, hinted || p.called == byHint
	p.announced = p.announced || p.hinted
}

// end notes that a scan has ended, what it found, whether a connection to the publisher stands, and
// whether a hint waits. A publisher is relied on once it has announced a payment, and
// until a poll finds something that it has not: there are daemons that announce blocks
// alone, or some payments. So a payment that is found together with a block proves
// nothing: the hint may have been for the block.
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

// due is when the next poll is. A hint can come before the wallet knows what it is
// about, so a scan that had one is no reason to wait longer.
func (p *pace) due() time.Time {
	pause := p.interval
	if p.heard && p.quiet && p.called == byPoll && !p.hinted {
		pause = max(pause, restInterval)
	}
	return p.begun.Add(pause)
}

// calm is from when a hint may call for a scan. A wallet has as long for others as the
// scan took it, at most the interval.
func (p *pace) calm() time.Time {
	gap, rested := p.begun.Add(hintGap), p.ended.Add(min(p.ended.Sub(p.begun), p.interval))
	if rested.After(gap) {
		return rested
	}
	return gap
}
