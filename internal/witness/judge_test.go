package witness

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	place := func(name string, sends, addresses int64) Seen {
		return Seen{Place: name, Mark: Mark{sends, addresses}}
	}
	file := func(sends, addresses int64) Seen {
		return Seen{Place: "file", File: true, Mark: Mark{sends, addresses}}
	}
	silent := Seen{Place: "silent", Err: errors.New("down")}
	known := Known{Begun: true, Highest: Mark{12, 200}, Confirmed: Mark{11, 150}}
	fresh := Known{}
	for name, c := range map[string]struct {
		known  Known
		places []Seen
		all    bool
		safe   string
		unsure bool
		behind []string
	}{
		"all agree":                         {known, []Seen{place("a", 11, 150), place("b", 12, 200)}, true, "", false, nil},
		"one knows the intended end":        {known, []Seen{place("a", 11, 200), place("b", 11, 150)}, true, "", false, nil},
		"a send beyond":                     {known, []Seen{place("a", 11, 150), place("b", 13, 150)}, false, "b knows a transaction numbered 13", false, nil},
		"an address beyond":                 {known, []Seen{place("a", 11, 201), place("b", 11, 150)}, false, "a knows addresses handed out up to index 201", false, nil},
		"beyond although another is down":   {known, []Seen{silent, place("b", 13, 150)}, true, "b knows", false, nil},
		"one is older":                      {known, []Seen{place("a", 10, 150), place("b", 11, 150)}, true, "", false, []string{"a"}},
		"one is older in both":              {known, []Seen{place("a", 10, 149), place("b", 11, 150)}, true, "", false, []string{"a", "a"}},
		"one was lost":                      {known, []Seen{place("a", 0, 0), place("b", 11, 150)}, true, "", false, []string{"a", "a"}},
		"all were lost":                     {known, []Seen{place("a", 0, 0), place("b", 0, 0)}, true, "no place", false, nil},
		"all are older":                     {known, []Seen{place("a", 10, 150), place("b", 9, 150)}, true, "no place", false, nil},
		"each is older in one":              {known, []Seen{place("a", 10, 150), place("b", 11, 149)}, true, "", false, []string{"a", "b"}},
		"the file was lost, opening":        {known, []Seen{file(0, 0), place("b", 11, 150)}, true, "file knows nothing", false, nil},
		"the file was lost, open":           {known, []Seen{file(0, 0), place("b", 11, 150)}, false, "", false, []string{"file", "file"}},
		"the file is older":                 {known, []Seen{file(0, 50), place("b", 11, 150)}, true, "", false, []string{"file", "file"}},
		"one is down":                       {known, []Seen{silent, place("b", 11, 150)}, false, "", false, nil},
		"one is down, all are needed":       {known, []Seen{silent, place("b", 11, 150)}, true, "", true, nil},
		"one is down, the other is older":   {known, []Seen{silent, place("b", 10, 150)}, false, "", true, []string{"b"}},
		"all are down":                      {known, []Seen{silent, silent}, false, "", true, nil},
		"never begun":                       {fresh, []Seen{place("a", 0, 0), place("b", 0, 0)}, true, "", false, nil},
		"never begun, one is down":          {fresh, []Seen{place("a", 0, 0), silent}, false, "", true, nil},
		"never begun, a place knows a send": {fresh, []Seen{place("a", 1, 0), place("b", 0, 0)}, true, "a knows", false, nil},
		"upgraded, with a history": {
			Known{Highest: Mark{40, 0}}, []Seen{place("a", 0, 0), place("b", 0, 0)}, true, "", false, nil,
		},
		"nothing was sent yet": {Known{Begun: true}, []Seen{place("a", 0, 0)}, true, "", false, nil},
	} {
		got := Judge(c.known, c.places, c.all)
		if c.safe == "" {
			require.Empty(t, got.Safe, name)
		} else {
			require.Contains(t, got.Safe, c.safe, name)
		}
		require.Equal(t, c.unsure, got.Unknown, name)
		require.Equal(t, c.behind, got.Behind, name)
	}
}
