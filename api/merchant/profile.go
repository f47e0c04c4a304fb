package merchant

import (
	"context"
	"net/http"

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

// registerProfile adds what customers and operators read of a merchant.
func (h *settingsRoom) registerProfile(api operations) {
	name, contact := "Example Shop", "Example Street 1, +1 555 0100"
	withSession(api, route{
		id: "setProfile", method: http.MethodPut, path: "/api/account/profile", tag: tagAccount,
		summary: "Set business name and contact", text: "At least one of the two.",
		request:  newProfile{&name, &contact},
		response: profileSet{true, name, contact},
	}, h.setProfile)
}

func (h *settingsRoom) setProfile(ctx context.Context, m db.Merchant, in *struct{ Body body[newProfile] }) (*out[profileSet], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	if fields.BusinessName == nil && fields.Contact == nil {
		return nil, badRequest("businessName or contact is required")
	}
	to := db.SetProfileParams{MerchantID: m.MerchantID}
	if to.BusinessName, err = parsed(fields.BusinessName, account.ParseBusinessName); err != nil {
		return nil, err
	}
	if to.Contact, err = parsed(fields.Contact, account.ParseContact); err != nil {
		return nil, err
	}
	var set db.SetProfileRow
	err = change(ctx, h.Store, m, func(q *db.Queries) error {
		set, err = q.SetProfile(ctx, to)
		return err
	})
	return answer(profileSet{true, set.BusinessName, set.Contact}, err)
}

// parsed applies a rule to a text that may be missing.
func parsed(text *string, rule func(string) (string, error)) (*string, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no text is a valid answer
	}
	clean, err := rule(*text)
	if err != nil {
		return nil, badRequest("%s", err)
	}
	return &clean, nil
}
