package merchant_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResourcesHaveTheFieldsOfTheContract lists the names of the contract. A change of the code
// must not change them.
func TestResourcesHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	const charge = "id merchant_id amount currency amount_xmr subaddress subaddress_index status confirmations metadata created_at expires_at confirmed_at " +
		"active link_state link_expires_at payment_url payment_uri confirmations_required amount_received_xmr amount_due_xmr payment_state late payments " +
		"description return_url fields source payment_request_id payout_id sandbox xmr_rate rate_at"
	schemas := document().Components.Schemas.Map()
	for name, fields := range map[string]string{
		"Charge": charge,
		"PublicCharge": "id amount currency amount_xmr subaddress status confirmations confirmations_required created_at expires_at confirmed_at description " +
			"return_url active link_state link_expires_at amount_received_xmr amount_due_xmr payment_state late payment_uri payment_url fields",
		"Payment":    "tx_hash amount_xmr confirmations height first_seen_at",
		"LinkSwitch": "id active link_state", "DataURL": "dataurl", "BuyerInfo": "id buyer_info", "ChargeList": "charges",
		"PaymentRequest":       "id amount currency description reference single_use fields expires_at active status completed_payments url created_at",
		"PublicPaymentRequest": "id amount currency description fields expires_at single_use business_name xmr_price amount_xmr",
		"RequestList":          "payment_requests", "DeletedRequest": "id deleted",
		"Webhook": "id url events status use_tor created_at", "CreatedWebhook": "id url events secret status use_tor created_at",
		"WebhookList": "webhooks", "DeletedWebhook": "id deleted", "DeliveryList": "deliveries",
		"Delivery": "id webhook_id event resource_id status http_status attempts error payload created_at last_attempt_at next_attempt_at delivered_at",
		"Balance":  "unpaid_charges total_xmr fee_rate net_xmr has_payout_address locked_xmr",
		"Payout":   "payout_id status amount_xmr fee_xmr network_fee_xmr tx_hash charges_paid address error created_at sent_at confirmed_at",
		"Price":    "price changePercent24h high24h low24h", "Error": "error",
		"SwapQuote": "from to amount quoteId outputAmount rate provider fee feePercent estimatedTime minAmount maxAmount expiresAt " +
			"fromNetwork toNetwork",
		"QuoteList": "quotes", "ListedQuote": "provider rate output_amount estimated_time quote_id expires_at",
		"Transaction":   "charge_id created_at confirmed_at amount currency amount_xmr amount_received_xmr order_id payout_id fiat_value fiat_currency fiat_rate",
		"ReportSummary": "period year month quarter from to charges_confirmed total_xmr total_fiat fiat_currency platform_fees_xmr payouts payouts_xmr",
		"Profile": "id merchant_id email businessName contact emailVerified twoFactorEnabled hasPayoutAddress payoutAddress reportingEnabled reportingCurrency " +
			"feeRate autoSwap apiKeys createdAt",
		"ChargeEvent": "event data timestamp", "PayoutEvent": "event data timestamp", "PayoutSent": "id payout_id amount_xmr fee_xmr tx_hash charge_count",
		"NewKey": "type apiKey", "KeyPair": "production sandbox", "KnownMerchant": "id email businessName", "NewMerchant": "id merchant_id email businessName",
		"SignupResult": "merchant token apiKeys",
		"SwapMade":     "id swapId provider depositAddress depositMemo amountFrom amountToExpected from to status expiresAt instructions",
		"Swap": "id swapId provider depositAddress depositMemo amountFrom amountToExpected from to status expiresAt instructions " +
			"statusDetail amountTo txDeposit txPayout txRefund updatedAt",
		"SwapList": "swaps",
	} {
		schema := schemas[name]
		require.NotNil(t, schema, "the document has no %s; it has %s", name, slices.Sorted(maps.Keys(schemas)))
		have := slices.Collect(maps.Keys(schema.Properties))
		for field := range strings.FieldsSeq(fields) {
			require.Contains(t, have, field, name)
		}
	}
	hidden := slices.Collect(maps.Keys(schemas["PublicCharge"].Properties))
	for _, name := range []string{"merchant_id", "metadata", "subaddress_index", "payments", "payout_id", "source", "buyer_info"} {
		require.NotContains(t, hidden, name)
	}
	require.NotContains(t, schemas["Webhook"].Properties, "secret")
}
