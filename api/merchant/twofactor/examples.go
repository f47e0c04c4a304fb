package twofactor

func exampleTwoFactor() twoFactorSetup {
	const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	return twoFactorSetup{key, "data:image/png;base64,iVBORw0KGgo=", []string{"abcd-efgh-2345-ijkl", "mnop-qrst-6723-uvwx"}}
}
