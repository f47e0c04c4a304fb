package secret

// EmailPlace is where a merchant's address is stored.
func EmailPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "email", ID: merchantID}
}

// TOTPPlace is where a merchant's TOTP secret is stored.
func TOTPPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "totp_secret", ID: merchantID}
}

// PayoutPlace is where a merchant's payout address is stored.
func PayoutPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "payout_address", ID: merchantID}
}

// AutoSwapPlace is where the address is stored that a merchant's automatic
// conversion pays.
func AutoSwapPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "auto_swap_address", ID: merchantID}
}
