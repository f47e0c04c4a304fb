// Package swapquote quotes swaps to merchants: it asks all configured
// providers side by side and ranks what they offer. A quote is handed out as a
// sealed token that carries the whole offer, so that asking for one, which
// anybody may, writes nothing; whoever brings the token back gets the swap that
// was offered, from the provider that offered it.
package swapquote
