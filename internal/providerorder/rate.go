package providerorder

// RateDecimals is the precision of a rate, which is rounded down: it promises no
// more than the provider does.
const RateDecimals = 18
