package witness

import "fmt"

// Known is the database's data on a wallet.
type Known struct {
	// Begun reports whether marks were written before.
	Begun bool
	// Highest is the highest mark that can exist according to the database: the number of
	// the last stored transaction, and the intended end of the lease.
	Highest Mark
	// Confirmed is the mark to which the places were certainly raised.
	Confirmed Mark
}

// Seen is the answer of one place.
type Seen struct {
	Place string `json:"place"`
	Mark
	// File reports whether the place is the wallet's own file.
	File bool `json:"-"`
	// Err is set when the place did not answer.
	Err error `json:"-"`
}

// Verdict is the result of a comparison.
type Verdict struct {
	// Safe is the reason why the wallet must go into safe mode; empty if it need not.
	Safe string
	// Unknown reports whether no decision is possible until more places answer.
	Unknown bool
	// Behind lists the places that must be raised.
	Behind []string
}

// Judge compares the database with the places, one part of the mark after the other.
// If all is set, a place that does not answer leaves the result undecided. If all is
// set and the wallet's file was created again, Temporal alone is not trusted, because
// its data may come from the same backup as the database.
func Judge(k Known, places []Seen, all bool) Verdict {
	v := judge(k.Begun, part{
		what: "a transaction numbered", highest: k.Highest.Sends, confirmed: k.Confirmed.Sends,
		of: func(m Mark) int64 { return m.Sends },
	}, places, all)
	if v.Safe != "" {
		return v
	}
	w := judge(k.Begun, part{
		what: "addresses handed out up to index", highest: k.Highest.Addresses, confirmed: k.Confirmed.Addresses,
		of: func(m Mark) int64 { return m.Addresses },
	}, places, all)
	w.Unknown = v.Unknown || w.Unknown
	w.Behind = append(v.Behind, w.Behind...)
	return w
}

type part struct {
	what               string
	highest, confirmed int64
	of                 func(Mark) int64
}

// answers summarizes how the places compare with the database.
type answers struct {
	agree, silent int
	// lost reports whether the wallet's file was created again.
	lost bool
}

// weigh compares each place with the database. It sets only Safe and Behind of the
// verdict.
func weigh(p part, places []Seen) (v Verdict, a answers) {
	for _, s := range places {
		mark := p.of(s.Mark)
		switch {
		case s.Err != nil:
			a.silent++
		case mark > p.highest:
			return Verdict{Safe: fmt.Sprintf("%s knows %s %d, the database knows %d", s.Place, p.what, mark, p.highest)}, a
		case mark >= p.confirmed:
			a.agree++
		default:
			a.lost = a.lost || s.File && s.Mark == Mark{}
			v.Behind = append(v.Behind, s.Place)
		}
	}
	return v, a
}

func judge(begun bool, p part, places []Seen, all bool) Verdict {
	v, a := weigh(p, places)
	switch {
	case v.Safe != "" || !begun && a.silent == 0:
	case a.silent > 0 && (all || a.agree == 0 || !begun):
		v.Unknown = true
	case a.agree == 0:
		return Verdict{Safe: fmt.Sprintf(
			"no place outside of the database knows that there was %s %d: either they were all lost, or they are all older copies", p.what, p.confirmed)}
	case all && a.lost:
		return Verdict{Safe: fmt.Sprintf(
			"the wallet's file knows nothing of %s %d: it was made anew, and Temporal alone may be as old a copy as the database", p.what, p.confirmed)}
	}
	return v
}
