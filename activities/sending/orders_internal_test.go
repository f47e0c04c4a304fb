package sending

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
)

// errDied is the error of a run whose process dies.
var errDied = errors.New("the process died")

// noted is an order whose rows survive the processes that work on it. It dies once,
// before or after one of its steps.
type noted struct {
	state   string
	sent    int
	made    bool
	refuses error
	// diesIn names the step in which the process dies; late is set if it dies after the step
	// was done.
	diesIn string
	late   bool
	// meanwhile runs during the request to the provider.
	meanwhile func()
}

// step runs a step, unless the process dies in it.
func (n *noted) step(name string, do func()) error {
	dies := n.diesIn == name
	if dies {
		n.diesIn = ""
	}
	if !dies || n.late {
		do()
	}
	if dies {
		return errDied
	}
	return nil
}

func (n *noted) Found(context.Context) error {
	if n.made {
		return nil
	}
	return postgres.ErrNotFound
}

func (n *noted) Claim(context.Context) (claimed bool, err error) {
	err = n.step("claim", func() {
		if claimed = n.state == "" || n.state == string(provider.Refused); claimed {
			n.state = "placing"
		}
	})
	return claimed, err
}

func (n *noted) Check(context.Context) error { return n.step("check", func() {}) }

func (n *noted) Send(context.Context) (provider.Swap, error) {
	n.sent++
	if n.meanwhile != nil {
		again := n.meanwhile
		n.meanwhile = nil
		again()
	}
	return provider.Swap{}, n.refuses
}

func (n *noted) Keep(context.Context, provider.Swap) error {
	late := false
	err := n.step("keep", func() {
		if late = n.state != "placing"; !late {
			n.state, n.made = "placed", true
		}
	})
	if err == nil && late {
		err = refusals.New(refusals.Route, "too late")
	}
	return err
}

func (n *noted) GiveUp(_ context.Context, state provider.OrderState) (given bool, err error) {
	err = n.step("giveUp", func() {
		if given = n.state == "placing"; given {
			n.state = string(state)
		}
	})
	return given, err
}

func (n *noted) Refusal(cause error) error { return refusals.New(refusals.Uncertain, cause.Error()) }

// place runs an order as Temporal does: again after each fault.
func (n *noted) place(t *testing.T) error {
	t.Helper()
	for range 10 {
		err := PlaceOnce(t.Context(), n)
		if _, refused := refusals.Of(err); err != nil && !refused {
			require.ErrorIs(t, err, errDied)
			if n.made { // a second run finds this first
				return nil
			}
			continue
		}
		return err
	}
	require.Fail(t, "it does not end")
	return nil
}

// Wherever a process dies, the order is sent at most once. Either its swap is the answer,
// or there is no swap, and no later run sends the order.
func TestOrderIsSentOnceWhereverTheProcessDies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n     noted
		made  bool
		sent  int
		state string
	}{
		"nobody dies":                   {noted{}, true, 1, "placed"},
		"before the note":               {noted{diesIn: "claim"}, true, 1, "placed"},
		"after the note":                {noted{diesIn: "claim", late: true}, false, 0, "uncertain"},
		"before it is sent":             {noted{diesIn: "check", late: true}, false, 0, "uncertain"},
		"between sending and storing":   {noted{diesIn: "keep"}, false, 1, "uncertain"},
		"after storing, before polling": {noted{diesIn: "keep", late: true}, true, 1, "placed"},
		"while a refusal is noted":      {noted{diesIn: "giveUp", refuses: provider.ErrRefused}, false, 1, "uncertain"},
		"after a refusal was noted":     {noted{diesIn: "giveUp", late: true, refuses: provider.ErrUncertain}, false, 1, "uncertain"},
	} {
		n := c.n
		err := n.place(t)
		require.Equal(t, c.made, err == nil, "%s: %v", name, err)
		require.Equal(t, c.made, n.made, name)
		require.Equal(t, c.sent, n.sent, name)
		require.Equal(t, c.state, n.state, name)
		if c.made {
			continue
		}
		require.Error(t, n.place(t), name)
		require.Equal(t, c.sent, n.sent, "%s: it is not sent again", name)
	}
}

// Two workers place one order at the same time. The second gives it up, and the answer to
// the first then makes nothing.
func TestOrderOfTwoWorkersIsSentOnce(t *testing.T) {
	t.Parallel()
	n := &noted{}
	n.meanwhile = func() {
		err := PlaceOnce(t.Context(), n)
		require.True(t, refusals.Is(err, refusals.Uncertain))
		require.ErrorContains(t, err, errAnswerLost.Error())
	}
	require.True(t, refusals.Is(PlaceOnce(t.Context(), n), refusals.Route))
	require.Equal(t, 1, n.sent)
	require.False(t, n.made)
	err := PlaceOnce(t.Context(), n)
	require.ErrorContains(t, err, ErrGivenUp.Error(), "whoever comes later is told that it was used")
	require.Equal(t, 1, n.sent)
}

// An order that certainly does not exist may be repeated.
func TestOrderThatWasRefusedMayBeSentAgain(t *testing.T) {
	t.Parallel()
	n := &noted{refuses: provider.ErrUnavailable}
	require.True(t, refusals.Is(n.place(t), refusals.Uncertain))
	require.Equal(t, "refused", n.state)
	n.refuses = nil
	require.NoError(t, n.place(t))
	require.Equal(t, 2, n.sent)
}

// recorder is a placed order that records the outcomes of questions.
type recorder struct {
	said   []provider.Swap
	causes []error
}

func (r *recorder) Answered(_ context.Context, said provider.Swap) error {
	r.said = append(r.said, said)
	return nil
}

func (r *recorder) Silent(_ context.Context, cause error) error {
	r.causes = append(r.causes, cause)
	return nil
}

// answering is a provider that gives each question the same answer.
type answering struct {
	provider.Provider

	swap provider.Swap
	err  error
}

func (a answering) Status(context.Context, string) (provider.Swap, error) { return a.swap, a.err }

func TestAnswersOfAProviderAreRecordedOrItIsSilent(t *testing.T) {
	t.Parallel()
	poll := func(a answering, name string) *recorder {
		h := &recorder{}
		find := func(name string) (provider.Provider, bool) { return a, name == "ex" }
		require.NoError(t, PollOnce(t.Context(), find, name, "1", h))
		return h
	}
	h := poll(answering{swap: provider.Swap{State: provider.Sending, PayoutTx: "a\x00b", DepositTx: "d"}}, "ex")
	require.Equal(t, []provider.Swap{{State: provider.Sending, DepositTx: "d"}}, h.said, "what no database takes is left out")
	require.Empty(t, h.causes)
	h = poll(answering{err: provider.ErrUnknownSwap}, "ex")
	require.Equal(t, []provider.Swap{{State: provider.Unknown, Word: "no such swap"}}, h.said)
	for _, h := range []*recorder{poll(answering{err: provider.ErrUnavailable}, "ex"), poll(answering{}, "gone")} {
		require.Empty(t, h.said)
		require.ErrorIs(t, h.causes[0], provider.ErrUnavailable)
	}
}
