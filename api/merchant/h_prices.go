package merchant

// pricesRoom answers requests about prices.
type pricesRoom struct {
	Prices Prices
}

// Register adds the price of XMR.
func (h *pricesRoom) Register(api operations) {
	h.registerPrice(api)
}
