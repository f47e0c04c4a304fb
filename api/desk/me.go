package desk

// me is the API's representation of the account.
type me struct {
	MerchantID        string  `json:"merchant_id"`
	Email             string  `json:"email"`
	BusinessName      string  `json:"businessName"`
	Contact           string  `json:"contact"`
	EmailVerified     bool    `json:"emailVerified"`
	TwoFactor         bool    `json:"twoFactorEnabled"`
	PayoutAddress     *string `json:"payoutAddress"`
	Reporting         bool    `json:"reportingEnabled"`
	ReportingCurrency string  `json:"reportingCurrency"`
	AutoSwap          struct {
		Enabled  bool    `json:"enabled"`
		Currency *string `json:"currency"`
		Address  *string `json:"address"`
	} `json:"autoSwap"`
	APIKeys struct {
		Production *ownKey `json:"production"`
		Sandbox    *ownKey `json:"sandbox"`
	} `json:"apiKeys"`
	AutoUpTo *number `json:"refundAutoUpToXmr"`
}

type ownKey struct {
	Prefix    string `json:"prefix"`
	CreatedAt string `json:"createdAt"`
}

// me reads the account.
func (v *visit) me() (me, error) {
	var answer struct {
		Merchant me `json:"merchant"`
	}
	err := v.get("/api/auth/me", &answer)
	return answer.Merchant, err
}
