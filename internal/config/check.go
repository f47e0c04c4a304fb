package config

import (
	"errors"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// maxHold is the highest PAYOUT_ADDRESS_HOLD, because merchants must not wait
// longer for their money.
const maxHold = 30 * 24 * time.Hour

// problem is a wrong setting: if is reports it, text describes it.
type problem struct {
	is   bool
	text string
}

func errorOf(list ...problem) error {
	var errs []error
	for _, p := range list {
		if p.is {
			errs = append(errs, errors.New(p.text))
		}
	}
	return errors.Join(errs...)
}

func (c Config) check() error {
	_, errUI := c.UIUpstream()
	return errors.Join(errorOf([]problem{
		{c.ConfirmationsRequired < 1 || c.ConfirmationsRequired > charge.MaxConfirmations, "CONFIRMATIONS_REQUIRED must be 1 to 1000"},
		{c.AddressPoolTarget < 1, "ADDRESS_POOL_TARGET must be at least 1"},
		{c.PendingCharges < 1, "PENDING_CHARGES_PER_MERCHANT must be at least 1"},
		{c.AffiliateKeys < 1 || c.AffiliateKeyUnused < Days(24*time.Hour), "AFFILIATE_KEYS_PER_DAY and AFFILIATE_KEY_UNUSED_DAYS must be at least 1"},
		{c.DatabaseConns < 2, "DATABASE_CONNS must be at least 2: with one connection a process waits for itself"},
		{strings.HasSuffix(c.PublicURL, "/") || strings.HasSuffix(c.OnionURL, "/"), "PUBLIC_URL and ONION_URL must not end with a slash"},
		{c.SanctionsMaxAge <= 0, "OFAC_MAX_AGE must be positive"},
		{!isPublisher(c.MonerodZMQ), "MONEROD_ZMQ_ADDRESS must be host:port"},
		{!printable(c.SwapUserAgent), "SWAP_USER_AGENT must be a line of printable ASCII"},
		{
			c.KeysDir == "" && (c.KeysetFile == "" || c.BlindIndexFile == "" || c.PayloadKeysetFile == ""),
			"KEYS_DIR must be set, or KEYSET_FILE, BLIND_INDEX_FILE and PAYLOAD_KEYSET_FILE",
		},
		{(c.TemporalCertFile == "") != (c.TemporalKeyFile == ""), "TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE belong together"},
	}...), errUI, errorOf([]problem{
		// With these, loops would spin, or prices would never be fresh.
		{
			min(c.WatchInterval, c.PriceRefresh, c.PriceMaxAge, c.CoinPriceMaxAge, c.CoinVolatilityWindow) <= 0,
			"WATCH_INTERVAL, PRICE_REFRESH, PRICE_MAX_AGE, COIN_PRICE_MAX_AGE and COIN_VOLATILITY_WINDOW must be positive",
		},
		// A daemon is allowed together with simulated charges: the watcher follows older wallets
		// there, for the charges that they have.
		{
			c.SandboxChain == SandboxWallet && c.SandboxMonerodURL == "",
			"SANDBOX_CHAIN=wallet needs SANDBOX_MONEROD_RPC_URL, the daemon of the test network (monerod --stagenet) that wallets of mode sandbox are on: on the live chain test payments are real money",
		},
		{
			c.SandboxMonerodURL == "" && (c.SandboxMonerodLoginFile != "" || c.SandboxMonerodZMQ != ""),
			"SANDBOX_MONEROD_LOGIN_FILE and SANDBOX_MONEROD_ZMQ_ADDRESS are nothing without SANDBOX_MONEROD_RPC_URL",
		},
		{!isPublisher(c.SandboxMonerodZMQ), "SANDBOX_MONEROD_ZMQ_ADDRESS must be host:port"},
	}...), c.Mail.check(), errorOf(problem{c.PayoutAddressHold < 0 || c.PayoutAddressHold > maxHold, "PAYOUT_ADDRESS_HOLD must be 0s to 720h"}), c.checkExchange())
}

func (m Mail) check() error {
	if m.SMTPHost == "" {
		return errorOf(problem{m.VerifiesEmail(), "EMAIL_VERIFICATION=required needs SMTP_HOST"})
	}
	_, errFrom := mail.ParseAddress(m.MailFrom)
	return errorOf([]problem{
		{m.SMTPPort < 1 || m.SMTPPort > 65535, "SMTP_PORT must be 1 to 65535"},
		{errFrom != nil, "MAIL_FROM must be an address when SMTP_HOST is set"},
		{(m.SMTPUser == "") != (m.SMTPPasswordFile == ""), "SMTP_USER and SMTP_PASSWORD_FILE go together"},
		{m.SMTPUser != "" && m.SMTPTLS == MailTLSOff, "SMTP_USER needs SMTP_TLS: the password would travel in the clear"},
	}...)
}

// checkExchange refuses shares and windows that cannot be meant.
func (c Config) checkExchange() error {
	isShare := func(n int64) bool { return n >= 1 && n <= 100 }
	isMargin := func(p Percent) bool { return p.Cmp(money.DecimalFromInt(50)) <= 0 && p.Decimals() <= 2 }
	return errorOf([]problem{
		{!isShare(c.ExchangeUnfunded), "EXCHANGE_UNFUNDED_PERCENT must be 1 to 100"},
		{!isShare(c.ExchangeClient), "EXCHANGE_CLIENT_PERCENT must be 1 to 100"},
		{c.DepositWindow < 1 || c.DepositWindow > 30*24*3600, "DEPOSIT_WINDOW_SECONDS must be 1 to 2592000"},
		{c.DepositConfirm < 60 || c.DepositConfirm > 7*24*3600, "DEPOSIT_CONFIRM_SECONDS must be 60 to 604800"},
		{c.ExchangeAddresses < 1, "EXCHANGE_ADDRESS_POOL must be at least 1"},
		{!isMargin(c.ExchangeSpread), "EXCHANGE_SPREAD_PERCENT must be at most 50, with at most 2 decimals"},
		{!isMargin(c.ExchangeSpreadMax), "EXCHANGE_SPREAD_MAX_PERCENT must be at most 50, with at most 2 decimals"},
		{!isMargin(c.ExchangeExcess), "EXCHANGE_EXCESS_PERCENT must be at most 50, with at most 2 decimals"},
		{c.ExchangeSpreadMax.Cmp(c.ExchangeSpread.Decimal) < 0, "EXCHANGE_SPREAD_MAX_PERCENT must not be below EXCHANGE_SPREAD_PERCENT"},
		{strings.HasSuffix(c.SwapPublicURL, "/") || strings.HasSuffix(c.SwapOnionURL, "/"), "SWAP_PUBLIC_URL and SWAP_ONION_URL must not end with a slash"},
	}...)
}

// isPublisher reports whether a text can be the address of a daemon's publisher:
// host:port, or empty for none.
func isPublisher(address string) bool {
	host, port, err := net.SplitHostPort(address)
	return address == "" || err == nil && host != "" && !strings.Contains(host, "/") && port != ""
}

// printable reports whether a text can be used in a header.
func printable(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
