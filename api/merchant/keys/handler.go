package keys

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/confirm"
	"github.com/durapay/durapay/api/merchant/login"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/scopedkey"
	"github.com/durapay/durapay/internal/timestamp"
)

// keyIDPrefix begins the identifiers of keys.
const keyIDPrefix = "sk_"

// maxKeys is the maximum number of application keys of an account.
const maxKeys = 100

// maxLabel is the maximum length of a label in characters.
const maxLabel = 100

// Handler answers requests about application keys.
type Handler struct {
	Store   *postgres.Store
	Confirm confirm.Asker
	Logins  login.Judge
	Notices notice.Notices
	Clock   func() time.Time
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// GrantKey derives the keys of consents: 32 bytes. A consent that is sent twice therefore gets
	// the same key.
	GrantKey []byte
}

type applicationKey struct {
	ID          string          `json:"id" doc:"Identifier of the key" example:"sk_0123456789abcdef01234567"`
	Label       string          `json:"label" doc:"What the merchant or the application calls it" example:"Web shop"`
	Mode        config.Mode     `json:"mode" enum:"live,sandbox" doc:"Whose wallet it works with"`
	Permissions []string        `json:"permissions" doc:"What it may do, as granted; some contain others" example:"[\"btcpay.store.canviewinvoices\"]"`
	Prefix      string          `json:"prefix" doc:"First characters of the key" example:"dk_live_0123"`
	Application string          `json:"applicationIdentifier" doc:"What the application called itself when it asked; empty for a key made by hand" example:""`
	Host        string          `json:"redirectHost" doc:"Host that the key was sent to; empty for a key that was shown" example:""`
	CreatedAt   timestamp.Time  `json:"created_at"`
	LastUsedAt  *timestamp.Time `json:"last_used_at" doc:"Last use, to about a minute; null for never"`
}

func viewOf(k db.ScopedKey) applicationKey {
	return applicationKey{
		k.ID, k.Label, config.Mode(k.Mode), k.Permissions, k.Prefix, k.ApplicationIdentifier, k.RedirectHost, timestamp.Of(k.CreatedAt),
		timestamp.OfPtr(k.LastUsedAt),
	}
}

type applicationKeys struct {
	Keys []applicationKey `json:"keys" doc:"The newest first; revoked ones are left out"`
}

type newApplicationKey struct {
	Label       string   `json:"label" doc:"1 to 100 characters" example:"Web shop"`
	Mode        string   `json:"mode" enum:"live,sandbox" example:"live"`
	Permissions []string `json:"permissions" doc:"At least one, without a store" example:"[\"btcpay.store.canviewinvoices\"]"`
	TOTPCode    *string  `json:"totp_code,omitempty" doc:"Needed when two-factor authentication is on" example:"123456"`
}

type madeApplicationKey struct {
	Key     string         `json:"key" doc:"The key; shown only now" example:"dk_live_0123456789abcdef0123456789abcdef0123456789abcdef"`
	Details applicationKey `json:"details"`
}

const path = "/api/account/application-keys"

// Register registers the routes. The pages on which a merchant connects an application are in
// package pages.
func (h *Handler) Register(api operation.API) {
	made := applicationKey{
		ID: "sk_0123456789abcdef01234567", Label: "Web shop", Mode: config.Live, Permissions: []string{string(scopedkey.ViewInvoices)},
		Prefix: "dk_live_0123", CreatedAt: timestamp.Of(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)),
	}
	operation.WithSession(api, operation.Route{
		ID: "listApplicationKeys", Method: http.MethodGet, Path: path, Tag: operation.TagAccount,
		Summary: "List the keys of applications", Text: "Keys that were made here, and on the page where applications ask for one.",
		Response: applicationKeys{[]applicationKey{made}},
	}, h.list)
	operation.WithSession(api, operation.Route{
		ID: "createApplicationKey", Method: http.MethodPost, Path: path, Tag: operation.TagAccount, Confirmed: true, Recent: true,
		Summary: "Make a key for an application",
		Text: "The key may do what its permissions say, in its mode, and no more: pay-outs, addresses and the account are out of " +
			"its reach. It is sent as x-api-key, or as `Authorization: token` to the Greenfield surface. An account has at " +
			"most 100. The owner is told by mail.",
		Errors:   []int{http.StatusLocked},
		Request:  newApplicationKey{"Web shop", "live", []string{string(scopedkey.ViewInvoices)}, nil},
		Response: madeApplicationKey{"dk_live_0123456789abcdef0123456789abcdef0123456789abcdef", made},
	}, h.create)
	operation.WithSession(api, operation.Route{
		ID: "revokeApplicationKey", Method: http.MethodPost, Path: path + "/{id}/revoke", Tag: operation.TagAccount,
		Summary: "Revoke a key of an application",
		Text: "It fails from then on. It takes something away and gives nothing, so no password is asked for. The owner is told " +
			"by mail.",
		Errors:   []int{http.StatusNotFound},
		Response: answer.OK{OK: true},
	}, h.revoke)
}
