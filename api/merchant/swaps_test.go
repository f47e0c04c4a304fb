package merchant_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

// till is a provider with Exolix's recorded answers that stores its orders.
type till struct {
	mu     sync.Mutex
	orders []map[string]any
	words  map[string]string
	// pays is the amount paid for 1.5 XMR.
	pays string
	// order and look replace the answers to orders and to requests for a status.
	order, look http.HandlerFunc
}

func (p *till) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.URL.Path == "/api/v2/rate":
		providertest.Answer(http.StatusOK, `{"fromAmount":1.5,"toAmount":`+p.pays+`,"rate":1.9,"minAmount":0.05,"maxAmount":250.5}`)(w, r)
	case r.Method == http.MethodPost && p.order != nil:
		p.order(w, r)
	case r.Method == http.MethodPost:
		dec, order := json.NewDecoder(r.Body), map[string]any{}
		dec.UseNumber()
		_ = dec.Decode(&order) // the client refuses an answer that does not match its order
		p.orders = append(p.orders, order)
		p.transaction(fmt.Sprintf("ex%d", len(p.orders)), order)(w, r)
	case p.look != nil:
		p.look(w, r)
	default:
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/api/v2/transactions/ex%d", &n)
		if n < 1 || n > len(p.orders) {
			providertest.Answer(http.StatusNotFound, `{"message":"unknown"}`)(w, r)
			return
		}
		p.transaction(fmt.Sprintf("ex%d", n), p.orders[n-1])(w, r)
	}
}

func (p *till) transaction(id string, order map[string]any) http.HandlerFunc {
	word := p.words[id]
	if word == "" {
		word = "wait"
	}
	hashes := map[string]map[string]any{"hashIn": {"hash": nil}, "hashOut": {"hash": nil}}
	if word != "wait" {
		hashes["hashIn"]["hash"] = "aa"
	}
	if word == "success" || word == "refunded" {
		hashes["hashOut"]["hash"] = "bb"
	}
	b, _ := json.Marshal(map[string]any{
		"id": id, "amount": order["amount"], "amountTo": json.Number(p.pays), "status": word, "depositAddress": providertest.Deposit,
		"depositExtraId": nil, "withdrawalAddress": order["withdrawalAddress"], "hashIn": hashes["hashIn"], "hashOut": hashes["hashOut"],
	})
	return providertest.Answer(http.StatusOK, string(b))
}

func (p *till) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *till) ordered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.orders)
}

// says sets the provider's status of a swap.
func (p *till) says(id, word string) { p.set(func() { p.words[id] = word }) }

func oneProvider(name string, p provider.Provider) func(string) (provider.Provider, bool) {
	return func(asked string) (provider.Provider, bool) { return p, asked == name }
}

// setupSwaps returns an API with a provider, a running Temporal and a worker for swaps.
func setupSwaps(t *testing.T) (*bench, *till) {
	t.Helper()
	workflowClient, p := stack.NewTemporal(t), &till{pays: "2.9", words: map[string]string{}}
	ex := inExolix(t, "ex", p.serve)
	b := setup(t, withProviders(time.Minute, ex), withTemporal(workflowClient))
	b.swapWorker(t, workflowClient, &payouts.Swaps{
		Store: b.store, Clock: b.clock.Now, Orders: &sending.SwapOrders{Store: b.store, Secret: b.box, Provider: oneProvider("ex", ex)},
	})
	return b, p
}

func (b *bench) swapWorker(t *testing.T, workflowClient client.Client, a *payouts.Swaps) {
	t.Helper()
	startWorkers(t, workflowClient, func(w worker.Registry) {
		w.RegisterWorkflow(workflows.Swap)
		w.RegisterActivity(a)
	})
}

// quoted returns a body for a swap of 1.5 XMR, with a new quote.
func (b *bench) quoted(t *testing.T, change ...func(map[string]any)) map[string]any {
	t.Helper()
	body := map[string]any{
		"from": "xmr", "to": "ltc", "amount": json.Number("1.5"), "address": providertest.Payout, "refundAddress": providertest.Refund,
		"quoteId": b.quote(t, "quote", "to=ltc&amount=1.5").require(t, http.StatusOK).text(t, "quoteId"),
	}
	for _, c := range change {
		c(body)
	}
	return body
}

func (b *bench) swap(t *testing.T, s shop, body map[string]any) answer {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return b.send(t, http.MethodPost, "/api/swap/create", session(s.token), string(text))
}

func (b *bench) swapStatus(t *testing.T, s shop, id string) answer {
	t.Helper()
	return b.send(t, http.MethodGet, "/api/swap/status/"+id, session(s.token), "")
}

// becomes waits until the swap has the status that its provider reports.
func (b *bench) becomes(t *testing.T, s shop, id, status string) answer {
	t.Helper()
	var a answer
	require.Eventually(t, func() bool {
		b.clock.advance(time.Minute) // so that the last answer does not count as current
		a = b.swapStatus(t, s, id)
		return a.status == http.StatusOK && strings.Contains(a.body, `"status":"`+status+`"`)
	}, maxWait, 50*time.Millisecond)
	return a
}

func TestSwapsOfMerchants(t *testing.T) {
	t.Parallel()
	b, p := setupSwaps(t)
	// These share the provider's orders, so they run one after the other.
	t.Run("answer of a creation", func(t *testing.T) { testSwapAnswer(t, b, p) })
	t.Run("one quote, one swap", func(t *testing.T) { testOneQuoteOneSwap(t, b, p) })
	t.Run("at the same time", func(t *testing.T) { testSwapAtTheSameTime(t, b, p) })
	t.Run("after the quote has expired", func(t *testing.T) { testSwapAgainAfterExpiry(t, b, p) })
	t.Run("refund address", func(t *testing.T) { testSwapRefundAddress(t, b, p) })
	t.Run("provider refuses", func(t *testing.T) { testSwapRefused(t, b, p) })
	t.Run("provider is away", func(t *testing.T) { testSwapProviderAway(t, b, p) })
	t.Run("rate falls", func(t *testing.T) { testSwapRateFalls(t, b, p) })
	t.Run("status", func(t *testing.T) { testSwapStatus(t, b, p) })
	t.Run("status without the provider", func(t *testing.T) { testSwapStatusAlone(t, b, p) })
	t.Run("others", func(t *testing.T) { testSwapsOfOtherMerchants(t, b) })
	t.Run("too many", func(t *testing.T) { testTooManySwaps(t, b) })
}

func testSwapAnswer(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	a := b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
	id, expires := a.text(t, "id"), b.clock.Now().Add(time.Hour)
	require.Regexp(t, `^swp_[0-9a-f]{24}$`, id)
	until, err := time.Parse(time.RFC3339Nano, a.text(t, "expiresAt"))
	require.NoError(t, err)
	require.WithinDuration(t, expires, until, 10*time.Minute)
	require.Equal(t, fmt.Sprintf(`{"id":%q,"swapId":"ex%d","provider":"ex","depositAddress":%q,"depositMemo":null,"amountFrom":"1.5",`+
		`"amountToExpected":"2.9","from":"xmr","to":"ltc","status":"waiting","expiresAt":%q,"instructions":%q}`+"\n",
		id, p.ordered(), providertest.Deposit, a.text(t, "expiresAt"),
		"Funds are not sent automatically. Send exactly 1.5 XMR to "+providertest.Deposit+" before "+until.Format(time.RFC3339)+
			", from a wallet of your own. The provider pays the destination address itself."), a.body)
	order := p.orders[p.ordered()-1]
	require.Equal(t, []any{"XMR", "LTC", json.Number("1.5"), providertest.Payout, providertest.Refund},
		[]any{order["coinFrom"], order["coinTo"], order["amount"], order["withdrawalAddress"], order["refundAddress"]})
	row, err := b.store.GetSwap(t.Context(), id)
	require.NoError(t, err)
	require.NotContains(t, string(row.AddressSealed)+string(row.RefundSealed), providertest.Payout[:12])
}

func testOneQuoteOneSwap(t *testing.T, b *bench, p *till) {
	s, before := b.signup(t), p.ordered()
	body := b.quoted(t)
	first := b.swap(t, s, body).require(t, http.StatusOK)
	p.says(first.text(t, "swapId"), "exchanging")
	body["provider"] = "EX" // older clients send it
	again := b.swap(t, s, body).require(t, http.StatusOK)
	require.Equal(t, first.body, again.body)
	for name, other := range map[string]any{
		"address": "ltc1q9lznz6zkgq9s5wvs9fqtjqrhvxvpkwx8yksax9", "amount": json.Number("1.6"), "to": "btc", "provider": "other",
		"refundAddress": providertest.Deposit,
	} {
		changed := maps.Clone(body)
		changed[name] = other
		require.Contains(t, b.swap(t, s, changed).require(t, http.StatusBadRequest, name).body, "used for another swap")
	}
	require.Equal(t, before+1, p.ordered())
	delete(body, "provider")
	second := b.swap(t, b.signup(t), body).require(t, http.StatusOK)
	require.NotEqual(t, first.text(t, "id"), second.text(t, "id"), "a quote is nobody's before it is used")
	require.Equal(t, before+2, p.ordered())
}

func testSwapAtTheSameTime(t *testing.T, b *bench, p *till) {
	s, before := b.signup(t), p.ordered()
	body := b.quoted(t)
	answers := make([]answer, 5)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.swap(t, s, body) })
	}
	group.Wait()
	for _, a := range answers {
		require.Equal(t, answers[0].require(t, http.StatusOK).body, a.require(t, http.StatusOK).body)
	}
	require.Equal(t, before+1, p.ordered())
}

func testSwapAgainAfterExpiry(t *testing.T, b *bench, p *till) {
	s, before := b.signup(t), p.ordered()
	used, unused := b.quoted(t), b.quoted(t)
	first := b.swap(t, s, used).require(t, http.StatusOK)
	b.clock.advance(6 * time.Minute)
	require.Equal(t, first.body, b.swap(t, s, used).require(t, http.StatusOK).body)
	require.Contains(t, b.swap(t, s, unused).require(t, http.StatusBadRequest).body, "expired")
	require.Equal(t, before+1, p.ordered())
}

func testSwapRefundAddress(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	none := func(body map[string]any) { delete(body, "refundAddress") }
	require.Contains(t, b.swap(t, s, b.quoted(t, none)).require(t, http.StatusBadRequest).body, "refundAddress is required")
	b.send(t, http.MethodPut, "/api/account/payout", session(s.token), `{"address":"`+payoutAddress+`"}`).require(t, http.StatusOK)
	b.swap(t, s, b.quoted(t, none)).require(t, http.StatusOK)
	require.Equal(t, payoutAddress, p.orders[p.ordered()-1]["refundAddress"])
	b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
	require.Equal(t, providertest.Refund, p.orders[p.ordered()-1]["refundAddress"])
}

func testSwapRefused(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	body := b.quoted(t)
	p.set(func() { p.order = providertest.Answer(http.StatusBadRequest, `{"message":"secret reasons"}`) })
	a := b.swap(t, s, body).require(t, http.StatusBadRequest)
	require.Contains(t, a.body, "the provider refused the order")
	require.NotContains(t, a.body, "secret")
	p.set(func() {
		p.order = providertest.Answer(http.StatusUnprocessableEntity, `{"message":"no","minAmount":2}`)
	})
	require.Contains(t, b.swap(t, s, body).require(t, http.StatusBadRequest).body, "minimum of 2")
	p.set(func() { p.order = nil })
	b.swap(t, s, body).require(t, http.StatusOK)
}

func testSwapProviderAway(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	body := b.quoted(t)
	p.set(func() { p.order = providertest.Answer(http.StatusTooManyRequests, `{"message":"later"}`) })
	require.Equal(t, "15", b.swap(t, s, body).require(t, http.StatusInternalServerError).header.Get("Retry-After"))
	p.set(func() { p.order = nil })
	b.swap(t, s, body).require(t, http.StatusOK, "nothing was ordered, so the quote is good still")

	lost, before := b.quoted(t), p.ordered()
	p.set(func() { p.order = providertest.Answer(http.StatusBadGateway, "away") })
	a := b.swap(t, s, lost).require(t, http.StatusInternalServerError)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	require.Contains(t, a.body, "there is nothing to pay")
	p.set(func() { p.order = nil })
	require.Contains(t, b.swap(t, s, lost).require(t, http.StatusBadRequest).body, "ask for a new one", "it may have been ordered")
	require.Equal(t, before, p.ordered())
	b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
}

func testSwapRateFalls(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	body := b.quoted(t)
	p.set(func() { p.pays = "2.89999999" })
	require.Contains(t, b.swap(t, s, body).require(t, http.StatusBadRequest).body, "the rate has changed")
	p.set(func() { p.pays = "2.9" })
	body = b.quoted(t)
	p.set(func() { p.pays = "2.95" })
	require.Equal(t, "2.95", b.swap(t, s, body).require(t, http.StatusOK).text(t, "amountToExpected"))
	p.set(func() { p.pays = "2.9" })
}

func testSwapStatus(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	made := b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
	id, theirs := made.text(t, "id"), made.text(t, "swapId")
	fields := `"statusDetail":null,"amountTo":null,"txDeposit":null,"txPayout":null,"txRefund":null,"updatedAt":"`
	require.Contains(t, b.swapStatus(t, s, id).require(t, http.StatusOK).body, strings.TrimSuffix(made.body, "}\n")+","+fields)
	for _, step := range [][2]string{{"confirmation", "confirming"}, {"exchanging", "exchanging"}, {"success", "finished"}, {"wait", "finished"}} {
		p.says(theirs, step[0])
		b.becomes(t, s, id, step[1])
	}
	end := b.swapStatus(t, s, theirs).require(t, http.StatusOK)
	require.Equal(t, []any{"2.9", "aa", "bb", nil, nil}, []any{
		end.field(t, "amountTo"), end.field(t, "txDeposit"), end.field(t, "txPayout"), end.field(t, "txRefund"), end.field(t, "statusDetail"),
	})
	require.Equal(t, made.text(t, "instructions"), end.text(t, "instructions"))

	refunded := b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
	p.says(refunded.text(t, "swapId"), "overdue")
	failed := b.becomes(t, s, refunded.text(t, "id"), "failed")
	require.Equal(t, "no deposit came in time", failed.text(t, "statusDetail"))
	p.says(refunded.text(t, "swapId"), "refunded")
	back := b.becomes(t, s, refunded.text(t, "id"), "refunded")
	require.Equal(t, []any{"bb", nil}, []any{back.field(t, "txRefund"), back.field(t, "txPayout")})
}

func testSwapStatusAlone(t *testing.T, b *bench, p *till) {
	s := b.signup(t)
	made := b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
	p.set(func() { p.look = providertest.Answer(http.StatusBadGateway, "away") })
	b.clock.advance(time.Minute)
	require.Equal(t, "waiting", b.swapStatus(t, s, made.text(t, "id")).require(t, http.StatusOK).text(t, "status"))
	p.set(func() { p.look = nil })
}

func testSwapsOfOtherMerchants(t *testing.T, b *bench) {
	s, other := b.signup(t), b.signup(t)
	made := b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
	for _, id := range []string{made.text(t, "id"), made.text(t, "swapId")} {
		b.swapStatus(t, other, id).require(t, http.StatusNotFound)
	}
	b.swapStatus(t, s, "swp_000000000000000000000000").require(t, http.StatusNotFound)
	b.swapStatus(t, s, "%00").require(t, http.StatusNotFound)
	list := func(s shop) answer {
		return b.send(t, http.MethodGet, "/api/swaps", session(s.token), "").require(t, http.StatusOK)
	}
	require.Equal(t, `{"swaps":[]}`+"\n", list(other).body)
	require.Len(t, list(s).field(t, "swaps"), 1)
	b.suspend(t, s)
	b.swap(t, s, b.quoted(t)).require(t, http.StatusForbidden)
	b.swapStatus(t, s, made.text(t, "id")).require(t, http.StatusForbidden)
}

func testTooManySwaps(t *testing.T, b *bench) {
	s := b.signup(t)
	for i := range 100 {
		b.pastSwap(t, s, func(r *db.InsertSwapParams) { r.CreatedAt = r.CreatedAt.Add(-time.Duration(i) * time.Minute) })
	}
	require.Equal(t, "60", b.swap(t, s, b.quoted(t)).require(t, http.StatusTooManyRequests).header.Get("Retry-After"))
	list, ok := b.send(t, http.MethodGet, "/api/swaps", session(s.token), "").require(t, http.StatusOK).field(t, "swaps").([]any)
	require.True(t, ok)
	require.Len(t, list, 50)
	for i := range list[1:] {
		newer, older := list[i].(map[string]any)["expiresAt"].(string), list[i+1].(map[string]any)["expiresAt"].(string)
		require.Greater(t, newer, older, "newest first")
	}
	b.exec(t, "UPDATE swaps SET status = 'confirming' WHERE id = (SELECT id FROM swaps WHERE merchant_id = $1 LIMIT 1)", s.id)
	b.swap(t, s, b.quoted(t)).require(t, http.StatusOK)
}

// pastSwap inserts a swap that waits for its deposit and returns its ID.
func (b *bench) pastSwap(t *testing.T, s shop, change ...func(*db.InsertSwapParams)) string {
	t.Helper()
	id, now := secret.NewID("swp_"), b.clock.Now()
	seal := func(column, text string) []byte {
		sealed, err := b.box.Seal([]byte(text), secret.AD{Table: "swaps", Column: column, ID: id})
		require.NoError(t, err)
		return sealed
	}
	row := db.InsertSwapParams{
		ID: id, MerchantID: s.id, Provider: "ex", IDProvider: id, TickerFrom: "xmr", NetworkFrom: "Mainnet", TickerTo: "ltc", NetworkTo: "Mainnet",
		AmountFrom: money.MustDecimal("1.5"), AmountExpected: money.MustDecimal("2.9"), Rate: money.MustDecimal("1.93"),
		DepositAddress: providertest.Deposit, AddressSealed: seal("address", providertest.Payout), RefundSealed: seal("refund", providertest.Refund),
		CreatedAt: now, Word: "wait",
	}
	for _, c := range change {
		c(&row)
	}
	row.ExpiresAt = row.CreatedAt.Add(time.Hour)
	require.NoError(t, b.store.InsertSwap(t.Context(), row))
	return id
}

// None of these requests reaches Temporal, which is unreachable here.
func TestSwapsThatAreRefusedAtTheDoor(t *testing.T) {
	t.Parallel()
	p := &till{pays: "2.9"}
	b := quoting(t, inExolix(t, "ex", p.serve))
	s := b.signup(t)
	foreign := quoting(t, inExolix(t, "ex", p.serve)).quoted(t)["quoteId"]
	for name, of := range map[string]struct {
		value any
		text  string
	}{
		"no from":               {nil, "from is required"},
		"no to":                 {nil, "to is required"},
		"no amount":             {nil, "amount is required"},
		"no address":            {nil, "address is required"},
		"no quoteId":            {nil, "quoteId is required"},
		"amount of text":        {"1.5", "amount"},
		"amount of another":     {json.Number("1.500000000001"), "amount is not that of the quote"},
		"from of another":       {"btc", "from is not that of the quote"},
		"to of another":         {"btc", "to is not that of the quote"},
		"provider of another":   {"house", "provider is not that of the quote"},
		"address of another":    {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "address is not an address of Litecoin"},
		"address of a test net": {"rltc1q9lznz6zkgq9s5wvs9fqtjqrhvxvpkwx8g9l8hg", "address is not an address of Litecoin"},
		"refundAddress of ltc":  {providertest.Payout, "refundAddress is not an address of Monero"},
		"quoteId of a stranger": {foreign, "not a quote of this service"},
		"quoteId of text":       {"qt_1", "not a quote of this service"},
		"quoteId of too much":   {strings.Repeat("A", 5000), "not a quote of this service"},
		"quoteId of nulls":      {"\x00", "not a quote of this service"},
		"from of a number":      {1, "from"},
	} {
		field := strings.Fields(strings.TrimPrefix(name, "no "))[0]
		body := b.quoted(t)
		if body[field] = of.value; of.value == nil {
			delete(body, field)
		}
		require.Contains(t, b.swap(t, s, body).require(t, http.StatusBadRequest, name).body, of.text, name)
	}
	body := b.quoted(t)
	b.clock.advance(5 * time.Minute)
	require.Contains(t, b.swap(t, s, body).require(t, http.StatusBadRequest).body, "the quote has expired")
	b.swap(t, s, b.quoted(t)).require(t, http.StatusInternalServerError, "Temporal is away")
	b.send(t, http.MethodPost, "/api/swap/create", anonymous(), `{}`).require(t, http.StatusUnauthorized)
	b.send(t, http.MethodPost, "/api/swap/create", key(s.live), `{}`).require(t, http.StatusUnauthorized)
	require.Zero(t, p.ordered())

	id := b.pastSwap(t, s)
	b.clock.advance(time.Minute)
	require.Equal(t, "waiting", b.swapStatus(t, s, id).require(t, http.StatusOK).text(t, "status"), "what is known is told without Temporal")
}

func TestAddressesOfSwapsGoWithTheAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	id, kept := b.pastSwap(t, s), b.pastSwap(t, other)
	b.deleteAccount(t, s, password).require(t, http.StatusOK)
	row, err := b.store.GetSwap(t.Context(), id)
	require.NoError(t, err, "the swap goes on")
	require.Nil(t, row.AddressSealed)
	require.Nil(t, row.RefundSealed)
	row, err = b.store.GetSwap(t.Context(), kept)
	require.NoError(t, err)
	require.NotNil(t, row.AddressSealed)
}
