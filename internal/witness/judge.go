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
	Place string
	Mark  Mark
	// File says that it is the wallet's own file.
	File bool
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
// other. When all is set, a place that does not answer leaves it undecided, and
// Temporal alone is not believed once the wallet's file was made anew: its memory may
// come from the same backup.
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

// part is one part of the marks.
type part struct {
	what               string
	highest, confirmed int64
	of                 func(Mark) int64
}

// answers are how the places stand to the database.
type answers struct {
	agree, silent int
	// lost says that the wallet's file was made anew.
	lost bool
}

// weigh compares each place. Its verdict is nothing but Safe and Behind.
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
