package witness

import "fmt"

// Known is what the database says of a wallet.
type Known struct {
	// Begun says that marks were written before.
	Begun bool
	// Highest is the highest mark that the database allows to exist: the number
	// of the last transaction that was stored, and the end of the lease as it was
	// intended.
	Highest Mark
	// Confirmed is the mark to which the places were raised for certain.
	Confirmed Mark
}

// Seen is what one place says.
type Seen struct {
	Place  string
	Covers Covers
	Mark   Mark
	// Err is set when the place did not answer.
	Err error
}

// Verdict is what follows from a comparison.
type Verdict struct {
	// Safe is why the wallet has to go into safe mode; empty when it has not.
	Safe string
	// Unknown says that nothing can be decided before more places answer.
	Unknown bool
	// Behind are the places that have to be raised.
	Behind []string
}

// Judge compares the database with the places, one part of the mark after the
// other. When all is set, a place that does not answer leaves it undecided.
func Judge(k Known, places []Seen, all bool) Verdict {
	v := judge(k.Begun, part{
		what: "a transaction numbered", highest: k.Highest.Sends, confirmed: k.Confirmed.Sends,
		of: func(m Mark) int64 { return m.Sends }, covered: func(c Covers) bool { return c.Sends },
	}, places, all)
	if v.Safe != "" {
		return v
	}
	w := judge(k.Begun, part{
		what: "addresses handed out up to index", highest: k.Highest.Addresses, confirmed: k.Confirmed.Addresses,
		of: func(m Mark) int64 { return m.Addresses }, covered: func(c Covers) bool { return c.Addresses },
	}, places, all)
	w.Unknown = v.Unknown || w.Unknown
	w.Behind = append(v.Behind, w.Behind...)
	return w
}

// part is one part of the marks.
type part struct {
	what               string
	highest, confirmed int64
	of                 func(Mark) int64
	covered            func(Covers) bool
}

func judge(begun bool, p part, places []Seen, all bool) Verdict {
	var v Verdict
	agree, silent, asked := 0, 0, 0
	for _, s := range places {
		if !p.covered(s.Covers) {
			continue
		}
		asked++
		mark := p.of(s.Mark)
		switch {
		case s.Err != nil:
			silent++
		case mark > p.highest:
			return Verdict{Safe: fmt.Sprintf("%s knows %s %d, the database knows %d", s.Place, p.what, mark, p.highest)}
		case mark >= p.confirmed:
			agree++
		default:
			v.Behind = append(v.Behind, s.Place)
		}
	}
	switch {
	case asked == 0 || !begun && silent == 0:
	case silent > 0 && (all || agree == 0 || !begun):
		v.Unknown = true
	case agree == 0:
		return Verdict{Safe: fmt.Sprintf(
			"no place outside of the database knows that there was %s %d: either they were all lost, or they are all older copies", p.what, p.confirmed)}
	}
	return v
}
