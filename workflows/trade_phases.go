package workflows

type tradePhase string

const (
	// tradeWaiting: the run waits until the order that it was started with is answered.
	tradeWaiting tradePhase = "waiting"
	// tradeLooking: the trade exists, or may exist, and the run compares it with the chains.
	tradeLooking tradePhase = "looking"
	// tradeOpen: the exchange fills the trade. The trade waits for a deposit, for depth, or
	// for payments that the run sends.
	tradeOpen tradePhase = "open"
	// tradeFollowing: another provider fills the trade, and the run asks it after a while.
	tradeFollowing tradePhase = "following"
	// tradeAsking: the run asks that provider, until it answers.
	tradeAsking tradePhase = "asking"
	// tradeOver: the trade waits for nothing but another deposit.
	tradeOver tradePhase = "over"
	// tradeNone: there is no trade.
	tradeNone tradePhase = "none"
)

// tradeEvent moves a run of Trade to another phase.
type tradeEvent string

const (
	// tradeOrdered: a provider fills the trade, or it is unknown whether one does.
	tradeOrdered tradeEvent = "order: placed or fault"
	tradeRefused tradeEvent = "order: refused"
	// tradeUnasked: no update came within Unasked, or a signal came before it.
	tradeUnasked       tradeEvent = "no order in time, or news"
	tradeFound         tradeEvent = "look: self-fill"
	tradeFoundUpstream tradeEvent = "look: upstream fill"
	// tradeMissing: it was never made, or retention has removed it.
	tradeMissing tradeEvent = "look: missing"
	// tradeEnded: nothing is left to pay, or the provider is not asked any more.
	tradeEnded tradeEvent = "ended"
	// tradeNews: a signal of deposits came, a coroutine was done with a payment, or an
	// operator's request was answered. A refused request does not count.
	tradeNews tradeEvent = "news"
	// tradeDue: time alone changes the trade, or no signal and no request came for long.
	tradeDue tradeEvent = "due"
	// tradeTold: the provider has answered.
	tradeTold tradeEvent = "told"
)

var tradeTransitions = transitions[tradePhase, tradeEvent]{ //nolint:gochecknoglobals // a constant table
	{tradeWaiting, tradeOrdered, tradeLooking, "the trade is looked for: `order` is answered with it, or refused"},
	{tradeWaiting, tradeRefused, tradeNone, "`order` is refused"},
	{tradeWaiting, tradeUnasked, tradeLooking, "whoever sent the update has gone: the trade is looked for, or its orders are given up"},
	{tradeLooking, tradeFound, tradeOpen, "show operators; see to payments; tell the partner"},
	{tradeLooking, tradeFoundUpstream, tradeFollowing, "show operators; tell the partner; ask in a while"},
	{tradeLooking, tradeMissing, tradeNone, ""},
	{tradeOpen, tradeEnded, tradeOver, "let the partner be told"},
	{tradeOpen, tradeNews, tradeLooking, "look once for all news"},
	{tradeOpen, tradeDue, tradeLooking, "look"},
	{tradeFollowing, tradeEnded, tradeOver, "let the partner be told"},
	{tradeFollowing, tradeDue, tradeAsking, "the provider is asked"},
	{tradeAsking, tradeMissing, tradeNone, ""},
	{tradeAsking, tradeTold, tradeFollowing, "show operators; tell the partner; ask in a while"},
	{tradeOver, tradeNews, tradeLooking, "another deposit, or an operator's request: look"},
	{tradeNone, tradeOrdered, tradeLooking, "`order` came while the run was ending: the trade is looked for"},
	{tradeNone, tradeRefused, tradeNone, "`order` is refused"},
	{tradeNone, tradeNews, tradeLooking, "look"},
}
