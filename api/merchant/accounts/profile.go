package accounts

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
)

type newProfile struct {
	BusinessName *string `json:"businessName,omitempty" doc:"Shown to customers, 1 to 200 characters; unchanged when it is missing" example:"Example Shop"`
	Contact      *string `json:"contact,omitempty" doc:"Contact information, at most 500 characters; unchanged when it is missing" example:"Example Street 1, +1 555 0100"`
}

type profileSet struct {
	OK           bool   `json:"ok" doc:"Always true"`
	BusinessName string `json:"businessName" example:"Example Shop"`
	Contact      string `json:"contact" example:"Example Street 1, +1 555 0100"`
}

// registerProfile registers the setting of the business name and the contact.
func (h *Settings) registerProfile(api operation.API) {
	name, contact := "Example Shop", "Example Street 1, +1 555 0100"
	operation.WithSession(api, operation.Route{
		ID: "setProfile", Method: http.MethodPut, Path: "/api/account/profile", Tag: operation.TagAccount,
		Summary: "Set business name and contact", Text: "At least one of the two.",
		Request:  newProfile{&name, &contact},
		Response: profileSet{true, name, contact},
	}, h.setProfile)
}

func (h *Settings) setProfile(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newProfile] }) (*httpapi.Out[profileSet], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if fields.BusinessName == nil && fields.Contact == nil {
		return nil, httpapi.BadRequest("businessName or contact is required")
	}
	to := db.SetProfileParams{MerchantID: m.MerchantID}
	if to.BusinessName, err = parsed(fields.BusinessName, account.ParseBusinessName); err != nil {
		return nil, err
	}
	if to.Contact, err = parsed(fields.Contact, account.ParseContact); err != nil {
		return nil, err
	}
	var set db.SetProfileRow
	err = access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		set, err = q.SetProfile(ctx, to)
		return err
	})
	return httpapi.With(profileSet{true, set.BusinessName, set.Contact}, err)
}

// parsed applies a rule to a text that may be missing.
func parsed(text *string, rule func(string) (string, error)) (*string, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no text is a valid answer
	}
	clean, err := rule(*text)
	if err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	return &clean, nil
}
