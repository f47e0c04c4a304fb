package desk

// me is the account as the API tells of it.
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

// ownKey is a key of the contract.
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

// hasTwoFactor says whether changes ask for a code. Where that cannot be read the code
// is asked for: the API says what it makes of it.
func (v *visit) hasTwoFactor() bool {
	if v.twoFactorKnown == nil {
		m, err := v.me()
		known := err != nil || m.TwoFactor
		v.twoFactorKnown = &known
	}
	return *v.twoFactorKnown
}
