package swap

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbound"
)

// maxIdempotencyKey is the maximum length of the key in characters.
const maxIdempotencyKey = 128

// rawBody is an answer whose bytes are stored.
type rawBody struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func registerCreate(api huma.API, a *app) {
	add(api, a, route{
		id: "newTrade", path: "/api/v1/new_trade", tag: tagTrades, summary: "Create a swap", status: http.StatusCreated, writes: true,
		text: "Locks a rate and issues a deposit address. A deposit that is first seen before expires_at pays amount " +
			"received × rate, within the limits; others are sent back to the refund address, less the chain fee. An " +
			"Idempotency-Key is bound for 24 hours to the decoded parameters of the first well-formed request that brings " +
			"it, in whatever order they stand. It is one key for one API key; callers without a key share theirs. The same " +
			"parameters again return the answer that was kept, also when the pair is no longer offered. Any others, " +
			"malformed ones too, are an idempotency_conflict (400). A malformed request binds no key; one that is refused " +
			"for another reason does, and the same parameters are then judged anew. Addresses and, where the chain shows " +
			"them, origins of deposits are checked against sanctions lists; for Monero origins cannot be known. A listed " +
			"address is address_blocked on every route. route_unavailable says that nobody can fill the swap now, that what " +
			"swaps without a deposit may reserve is used up, or that there is no sanctions list yet. When another provider " +
			"fills the swap, address_provider is that provider's, which judges, swaps or sends back what is deposited. HEAD " +
			"makes nothing: it says whether the parameters are well-formed.",
		query: append(askedParams(),
			&huma.Param{
				Name: "Idempotency-Key", In: "header", Required: true, Description: "Opaque, at most 128 characters; a UUID is a good one. Two of them are a 400.",
				Schema: &huma.Schema{Type: huma.TypeString}, Example: "1c5c1b9e-6f0b-4b8e-9b47-0b4e5f0c7f11",
			},
			textParam("id", "Rate to be used, for fixed rates; ignored for floating ones.", "", false),
			textParam("provider", "Who fills the swap, as quotes name it; chosen by policy when missing. An unknown one is invalid_parameter, one that cannot fill the pair route_unavailable.", exchange.ProviderName, false),
			textParam("address", "Receives the output.", exampleLitecoin, true),
			textParam("refund", "Receives what is sent back.", exampleMonero, true),
			textParam("refund_memo", "Memo of the refund address, for coins that have one; refused for others.", "", false),
			textParam("extra_id", "Memo or destination tag of the address, for coins that have one; refused for others.", "", false),
			textParam("webhook_url", "Partners only: https, or any URL of an onion host, that is told of each status.", "", false),
			textParam("note", "Anything, at most 2000 bytes; echoed back.", "", false),
		),
		errors: []int{
			http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusServiceUnavailable,
		},
		response: exampleCreated(),
	}, a.newTrade)
	describe[createdTrade](api, api.OpenAPI().Paths["/api/v1/new_trade"].Get, "201")
}

// newTrade creates a trade. HEAD makes all checks that need no call to Temporal or a provider,
// and creates nothing.
func (a *app) newTrade(ctx context.Context, q *query) (*rawBody, error) {
	c := callerOf(ctx)
	if err := q.checkKey(); err != nil {
		return nil, err
	}
	if body, err := a.bound(ctx, c, q); body != nil || err != nil {
		return &rawBody{jsonType, body}, err
	}
	req, err := a.tradeRequest(q, c)
	if err != nil {
		return nil, err
	}
	if q.head {
		return &rawBody{ContentType: jsonType}, nil
	}
	body, err := a.createOnce(ctx, c, q, req)
	if err != nil {
		return nil, err
	}
	return &rawBody{jsonType, body}, nil
}

// checkKey refuses a creation without exactly one idempotency key.
func (q *query) checkKey() error {
	switch {
	case q.keys > 1:
		return badParameter("Idempotency-Key", "is given more than once")
	case q.key == "" || utf8.RuneCountInString(q.key) > maxIdempotencyKey:
		return badParameter("Idempotency-Key", "is required, with at most 128 characters")
	}
	return nil
}

// tradeRequest reads and checks everything that can be checked without a call to Temporal or a
// provider.
func (a *app) tradeRequest(q *query, c exchangeapi.Caller) (exchangeapi.Wanted, error) {
	want, err := a.askedOf(q, c)
	if err != nil {
		return exchangeapi.Wanted{}, err
	}
	req := a.Want(c, want.pair, want.amount, want.markup)
	if req.Provider, err = a.namedProvider(q, want.pair); err != nil {
		return req, err
	}
	if req.WebhookURL, err = webhookURL(q, c); err != nil {
		return req, err
	}
	if req.Note, err = q.optional("note"); err != nil {
		return req, err
	}
	if req.ExtraID, err = memo(q, "extra_id", want.pair.To.Coin); err != nil {
		return req, err
	}
	if req.RefundMemo, err = memo(q, "refund_memo", want.pair.From.Coin); err != nil {
		return req, err
	}
	if req.Address, err = q.needed("address"); err != nil {
		return req, err
	}
	if req.Refund, err = q.needed("refund"); err != nil {
		return req, err
	}
	return req, a.checkAddresses(want.pair, req)
}

// checkAddresses validates the format of both addresses.
func (a *app) checkAddresses(p exchange.Pair, req exchangeapi.Wanted) error {
	for _, check := range []struct {
		name, address string
		coin          exchange.Coin
	}{{"address", req.Address, p.To}, {"refund", req.Refund, p.From}} {
		if check.coin.CheckAddress(check.address, a.Quoter.Net) != nil {
			return &problem{
				Code: codeAddress, Message: check.name + " is not an address of " + check.coin.Name, status: http.StatusUnprocessableEntity,
				Details: map[string]string{"parameter": check.name},
			}
		}
	}
	return nil
}

// namedProvider returns the provider that must fill the trade; empty if the request names
// none. A known provider that is not allowed for the pair is refused.
func (a *app) namedProvider(q *query, p exchange.Pair) (string, error) {
	name, err := q.text("provider")
	name = strings.ToLower(name)
	switch {
	case err != nil || name == "":
		return "", err
	case !a.Quoter.Knows(name):
		return "", badParameter("provider", "is not known")
	case !a.Quoter.Allows(p, name):
		return "", unavailable(codeRoute, "the provider does not fill this pair")
	}
	return name, nil
}

// memo refuses a memo for a coin that has none, because the client expects it to be sent.
func memo(q *query, name string, c coin.Coin) (*string, error) {
	value, err := q.optional(name)
	if err == nil && value != nil && !c.Memo {
		err = badParameter(name, "is not used by this coin")
	}
	return value, err
}

// webhookURL accepts https, and http on onion hosts, from partners.
func webhookURL(q *query, c exchangeapi.Caller) (*string, error) {
	value, err := q.optional("webhook_url")
	if err != nil || value == nil {
		return nil, err
	}
	if c.Class != exchangeapi.Partner {
		return nil, badParameter("webhook_url", "is for partners only")
	}
	u, err := url.Parse(*value)
	onion := err == nil && strings.HasSuffix(strings.ToLower(u.Hostname()), ".onion")
	if err != nil || (u.Scheme != "https" && !onion) || outbound.CheckURL(*value, onion) != nil {
		return nil, badParameter("webhook_url", "must be an https URL, or one of an onion host")
	}
	return value, nil
}
