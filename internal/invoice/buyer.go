package invoice

// BuyerFields are the names in an invoice's metadata that say who the buyer is.
// They are removed when buyers' values are.
func BuyerFields() []string {
	return []string{
		"buyerName", "buyerEmail", "buyerCountry", "buyerZip", "buyerState", "buyerCity", "buyerAddress1", "buyerAddress2", "buyerPhone",
	}
}
