// Package docs holds the documents that a running service serves: those for merchants.
package docs

import "embed"

// Merchant are the documents for merchants, under their paths below docs.
//
//go:embed connect-a-shop.md checklist-merchant.md merchant/*.md merchant/verify/receiver.*
var Merchant embed.FS
