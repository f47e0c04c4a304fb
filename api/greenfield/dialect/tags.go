package dialect

// Tags group routes.
const (
	TagAPIKeys  = "API keys"
	TagServer   = "Server"
	TagStores   = "Stores"
	TagInvoices = "Invoices"
	TagWebhooks = "Webhooks"
	TagPulls    = "Pull payments"
	TagPayouts  = "Payouts"
)
