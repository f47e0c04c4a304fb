package provider

// RateDecimals is the precision of a rate, as a number of decimals.
const RateDecimals = 18
