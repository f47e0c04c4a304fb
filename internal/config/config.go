// Package config reads the settings of the services from environment
// variables, once, at start. Every variable has its meaning, unit and default
// here; secrets are never values of a variable but files named by one.
package config

import (
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/durapay/durapay/internal/charge"
)

// Config is the whole configuration; each command uses the parts it needs.
type Config struct {
	Store
	Temporal
	Keys
	Wallet
	Exchange
	Charges
	Prices
	Sanctions
	Outbound
	HTTP
	Access
	Mail
	Telemetry
	Retention
}

// Store is the database.
type Store struct {
	// DatabaseURL is a libpq connection URL.
	DatabaseURL string `env:"DATABASE_URL,required"`
	// DatabaseConns bounds the connections of one process, at least 2: some
	// work holds one while it uses another.
	DatabaseConns int32 `env:"DATABASE_CONNS" envDefault:"20"`
}

// Temporal is Temporal.
type Temporal struct {
	TemporalAddress   string `env:"TEMPORAL_ADDRESS" envDefault:"127.0.0.1:7233"`
	TemporalNamespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default"`
	// TemporalCAFile holds the certificates (PEM) that the server's certificate is
	// checked against, instead of the system's. TemporalCertFile and TemporalKeyFile
	// hold the client's certificate. TemporalServerName is the name in the server's
	// certificate when the address has another. With any of them the connection uses
	// TLS, see Temporal.TLS.
	TemporalCAFile     string `env:"TEMPORAL_TLS_CA_FILE"`
	TemporalCertFile   string `env:"TEMPORAL_TLS_CERT_FILE"`
	TemporalKeyFile    string `env:"TEMPORAL_TLS_KEY_FILE"`
	TemporalServerName string `env:"TEMPORAL_TLS_SERVER_NAME"`
	// TemporalUIURL is where operators' browsers open Temporal's web UI, through the worker:
	// links of the operators' desk lead there. None without an address.
	TemporalUIURL string `env:"TEMPORAL_UI_URL" envDefault:"http://127.0.0.1:9090"`
	// TemporalUIUpstream is where the worker finds the web UI. Without it the worker serves
	// none.
	TemporalUIUpstream string `env:"TEMPORAL_UI_UPSTREAM"`
	// CodecTokenFile holds the token with which operators log in to the web UI and the
	// codec; without it every call is refused.
	CodecTokenFile string `env:"CODEC_TOKEN_FILE"`
	// WorkerBuildID turns worker versioning on when set: workflows stay
	// compatible per build, and a deployment is named durapay.
	WorkerBuildID string `env:"WORKER_BUILD_ID"`
}

// Keys names the files that hold key material. Each file below takes precedence
// over the one in KeysDir. An old installation without folders names them all.
type Keys struct {
	// KeysDir holds a folder of key files for each kind of data, see
	// secret.NewFolder; a service needs those of secret.KindsOf.
	KeysDir string `env:"KEYS_DIR"`
	// KeysetFile is one Tink AEAD keyset (JSON) for all columns in Postgres.
	KeysetFile string `env:"KEYSET_FILE"`
	// BlindIndexFile holds 64 hex digits: the HMAC key of lookups.
	BlindIndexFile string `env:"BLIND_INDEX_FILE"`
	// PayloadKeysetFile is a Tink AEAD keyset for Temporal payloads.
	PayloadKeysetFile string `env:"PAYLOAD_KEYSET_FILE"`
	// JWTSecretFile holds the HS256 key: at least 32 bytes. Merchant API only.
	JWTSecretFile string `env:"JWT_SECRET_FILE"`
}

// Wallet is the Monero side.
type Wallet struct {
	MonerodURL string `env:"MONEROD_RPC_URL" envDefault:"http://127.0.0.1:18081"`
	// MonerodLoginFile holds user:password for the daemon's digest auth.
	MonerodLoginFile string `env:"MONEROD_LOGIN_FILE"`
	// MonerodZMQ is where monerod publishes what happens (--zmq-pub), host:port;
	// empty where it does not.
	MonerodZMQ string `env:"MONEROD_ZMQ_ADDRESS"`
	// MonerodRegtest is set in development, where that daemon has a private chain: it is
	// believed there alone, and else on the main network alone.
	MonerodRegtest bool `env:"MONEROD_REGTEST" envDefault:"false"`
	// SandboxMonerodURL, SandboxMonerodLoginFile and SandboxMonerodZMQ are the same of
	// the daemon of the test network that wallets of mode sandbox are on; see
	// SandboxChain.
	SandboxMonerodURL       string `env:"SANDBOX_MONEROD_RPC_URL"`
	SandboxMonerodLoginFile string `env:"SANDBOX_MONEROD_LOGIN_FILE"`
	SandboxMonerodZMQ       string `env:"SANDBOX_MONEROD_ZMQ_ADDRESS"`
	// WalletsFile is a JSON list of wallets, see LoadWallets.
	WalletsFile string `env:"WALLETS_FILE"`
	// AddressPoolTarget is how many unused addresses are kept ready per wallet.
	AddressPoolTarget int64 `env:"ADDRESS_POOL_TARGET" envDefault:"5000"`
	// WatchInterval is the pause between two polls of a wallet while its daemon's
	// publisher announces nothing.
	WatchInterval time.Duration `env:"WATCH_INTERVAL" envDefault:"1s"`
}

// Exchange is the swap exchange's side of the chains.
type Exchange struct {
	// ExchangeWalletsFile is a JSON list of the exchange's own wallets, see
	// LoadExchangeWallets; without it there is no exchange.
	ExchangeWalletsFile string `env:"EXCHANGE_WALLETS_FILE"`
	// ExchangePairs are the directions that are swapped, each with its smallest
	// and largest deposit and the step in which the maximum is lowered when the
	// inventory does not reach: xmr:Mainnet>ltc:Mainnet=0.05:20:1.
	ExchangePairs []ExchangePair `env:"EXCHANGE_PAIRS"`
	// ExchangeRoutes say who may fill which pairs; the first that fits counts:
	// xmr:Mainnet>*=best,*>*=precheck. See exchange.Rule.
	ExchangeRoutes []ExchangeRoute `env:"EXCHANGE_ROUTES"`
	// ExplorersFile is a JSON object with the explorers' pages of addresses by
	// coin, see exchange.ReadExplorers.
	ExplorersFile string `env:"EXPLORERS_FILE"`
	// ExchangeSpread is the lowest margin that the exchange keeps, in percent of the
	// price. Recent price moves are added, up to ExchangeSpreadMax.
	ExchangeSpread    Percent `env:"EXCHANGE_SPREAD_PERCENT" envDefault:"2"`
	ExchangeSpreadMax Percent `env:"EXCHANGE_SPREAD_MAX_PERCENT" envDefault:"6"`
	// ExchangeExcess is by how much a deposit may be larger than announced and
	// still be paid at the locked rate as a whole, in percent.
	ExchangeExcess Percent `env:"EXCHANGE_EXCESS_PERCENT" envDefault:"1"`
	// ExchangeUnfunded is how much of the inventory may be kept for trades
	// without a deposit in all, ExchangeClient for those of one client; whole
	// percents.
	ExchangeUnfunded int64 `env:"EXCHANGE_UNFUNDED_PERCENT" envDefault:"50"`
	ExchangeClient   int64 `env:"EXCHANGE_CLIENT_PERCENT" envDefault:"20"`
	// ExchangeRegtest is set where the chains are private ones.
	ExchangeRegtest bool `env:"EXCHANGE_REGTEST" envDefault:"false"`
	// ExchangeAddresses is how many unused deposit addresses are kept per wallet.
	ExchangeAddresses int64 `env:"EXCHANGE_ADDRESS_POOL" envDefault:"50"`
	// DepositWindow is how long a deposit may take, in seconds.
	DepositWindow int32 `env:"DEPOSIT_WINDOW_SECONDS" envDefault:"3600"`
	// DepositConfirm is for how long after its window the rate is still locked for
	// a deposit that was seen in time, in seconds: within it the deposit must be
	// in a block, and within it once more spendable.
	DepositConfirm int32 `env:"DEPOSIT_CONFIRM_SECONDS" envDefault:"7200"`
	// AffiliateKeys is how many affiliate keys an address gets in 24 hours; all of
	// Tor together gets ten times as many.
	AffiliateKeys int `env:"AFFILIATE_KEYS_PER_DAY" envDefault:"3"`
	// AffiliateKeyUnused is how long an unused affiliate key is kept, in days, at
	// least 1; keys that made a trade or earned something stay.
	AffiliateKeyUnused Days `env:"AFFILIATE_KEY_UNUSED_DAYS" envDefault:"90"`
	// SwapListen is the swap exchange's listener, SwapPublicURL its base URL as
	// clients see it, SwapOnionURL that of its onion surface, or empty.
	SwapListen    string `env:"SWAP_LISTEN" envDefault:"127.0.0.1:8081"`
	SwapPublicURL string `env:"SWAP_PUBLIC_URL" envDefault:"http://127.0.0.1:8081"`
	SwapOnionURL  string `env:"SWAP_ONION_URL"`
	// SwapOnionListen is what MerchantOnionListen is, of the onion surface.
	SwapOnionListen string `env:"SWAP_ONION_LISTEN"`
}

// Charges are the rules of payment.
type Charges struct {
	// ChargeTimeout and the two below are minutes; fractions are allowed.
	ChargeTimeout       Minutes `env:"CHARGE_TIMEOUT_MINUTES" envDefault:"60"`
	ButtonChargeTimeout Minutes `env:"BUTTON_CHARGE_TIMEOUT_MINUTES" envDefault:"15"`
	ConfirmationWindow  Minutes `env:"CONFIRMATION_WINDOW_MINUTES" envDefault:"120"`
	// ConfirmationsRequired is a number of blocks, 1 to 1000.
	ConfirmationsRequired int32 `env:"CONFIRMATIONS_REQUIRED" envDefault:"10"`
	// ConfirmationSteps are numbers of blocks by the fiat value of a charge.
	ConfirmationSteps charge.Steps `env:"CONFIRMATION_STEPS"`
	// Tolerance is the underpayment, in percent, that still confirms a charge.
	Tolerance Percent `env:"UNDERPAYMENT_TOLERANCE_PERCENT" envDefault:"0"`
	// PendingCharges is how many charges of one merchant may be pending at the same
	// time; operators give merchants numbers of their own.
	PendingCharges int32 `env:"PENDING_CHARGES_PER_MERCHANT" envDefault:"10000"`
	// FeeRate is the operator's share of a payout: 0.005 is half a percent.
	FeeRate FeeRate `env:"FEE_RATE" envDefault:"0"`
}

// Prices are the sources of the XMR price.
type Prices struct {
	// PriceSources are tried in order: kraken, bitfinex, exmo, static.
	PriceSources []string `env:"PRICE_SOURCES" envDefault:"kraken,bitfinex,exmo"`
	// PriceMaxAge is the age after which a price is not used.
	PriceMaxAge time.Duration `env:"PRICE_MAX_AGE" envDefault:"5m"`
	// PriceRefresh is the pause between two fetches.
	PriceRefresh time.Duration `env:"PRICE_REFRESH" envDefault:"30s"`
	// PriceOutlierPercent is how far a price may be from the median of the other sources.
	PriceOutlierPercent Percent `env:"PRICE_OUTLIER_PERCENT" envDefault:"10"`
	// PriceUseProxy fetches prices through SOCKS5_PROXY.
	PriceUseProxy bool `env:"PRICE_USE_PROXY" envDefault:"false"`
	// PriceStaticUSD and PriceStaticEUR are the prices of the source "static".
	PriceStaticUSD string `env:"PRICE_STATIC_USD"`
	PriceStaticEUR string `env:"PRICE_STATIC_EUR"`
	// PriceURLs replaces a source's base URL: kraken=http://…,exmo=http://…
	PriceURLs map[string]string `env:"PRICE_URLS" envKeyValSeparator:"="`
	// CoinPriceSources are at least two exchanges, whose bids and asks make the
	// price of a coin in swaps, or static alone.
	CoinPriceSources []string `env:"COIN_PRICE_SOURCES" envDefault:"kraken,bitfinex,exmo"`
	// CoinPricesStatic are the prices in USD of the source "static": xmr=150,ltc=75.
	CoinPricesStatic map[string]string `env:"COIN_PRICES_STATIC" envKeyValSeparator:"="`
	// CoinPriceMaxAge is the age after which a source's price is not used.
	CoinPriceMaxAge time.Duration `env:"COIN_PRICE_MAX_AGE" envDefault:"120s"`
	// CoinVolatilityWindow is how far back the movement of a price is looked at,
	// see exchange.Settings.
	CoinVolatilityWindow time.Duration `env:"COIN_VOLATILITY_WINDOW" envDefault:"15m"`
	// CoinPriceSpread is how far apart sources may be before none is believed. The
	// exchange wants them closer than its own spread.
	CoinPriceSpread Percent `env:"COIN_PRICE_SPREAD_PERCENT" envDefault:"10"`
}

// Sanctions is where the exchange's sanctions list comes from. Without a source
// there is no list, and the exchange makes no trade.
type Sanctions struct {
	// SanctionsFile is OFAC's sdn.xml or sdn_advanced.xml; it goes before the URL.
	SanctionsFile string `env:"OFAC_SDN_FILE"`
	// SanctionsURL is fetched when there is no file.
	SanctionsURL string `env:"OFAC_SDN_URL"`
	// SanctionsUseProxy fetches the URL through SOCKS5_PROXY.
	SanctionsUseProxy bool `env:"OFAC_USE_PROXY" envDefault:"false"`
	// SanctionsMaxAge is how long ago the source may last have been read before the
	// worker opens an alert.
	SanctionsMaxAge time.Duration `env:"OFAC_MAX_AGE" envDefault:"48h"`
}

// Outbound is what the service calls, and what it may.
type Outbound struct {
	// SwapProvidersFile is a JSON list of the providers that fill the exchange's
	// trades, MerchantProvidersFile one of those that merchants swap with; see
	// internal/provider/adapter.
	SwapProvidersFile     string `env:"SWAP_PROVIDERS_FILE"`
	MerchantProvidersFile string `env:"MERCHANT_SWAP_PROVIDERS_FILE"`
	// SwapUserAgent is the browser that providers see: Tor Browser's, which many
	// share.
	SwapUserAgent string `env:"SWAP_USER_AGENT" envDefault:"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"`
	// SOCKS5Proxy is host:port; empty means that proxied calls fail.
	SOCKS5Proxy string `env:"SOCKS5_PROXY"`
	// WebhookAllowedNets lifts the ban on private targets for these CIDRs.
	WebhookAllowedNets []netip.Prefix `env:"WEBHOOK_ALLOWED_NETS"`
}

// HTTP is the merchant API's listener.
type HTTP struct {
	MerchantListen string `env:"MERCHANT_LISTEN" envDefault:"127.0.0.1:8080"`
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string `env:"PUBLIC_URL" envDefault:"http://127.0.0.1:8080"`
	// OnionURL is the onion mirror's base URL; empty when there is none.
	OnionURL string `env:"ONION_URL"`
	// MerchantOnionListen is the listener of the onion mirror, for Tor alone; no other client
	// may reach it. Every connection begins with the line in which Tor names the circuit.
	MerchantOnionListen string `env:"MERCHANT_ONION_LISTEN"`
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`
	// Desk turns the merchants' desk at the root on or off.
	Desk Switch `env:"DESK" envDefault:"on"`
	// SandboxChain says what pays charges of the sandbox: simulated, the sandbox's own
	// operations; wallet, a wallet of mode sandbox, on the chain of SandboxMonerodURL,
	// which it needs.
	SandboxChain SandboxChain `env:"SANDBOX_CHAIN" envDefault:"simulated"`
	// SignUp is who may open an account: anyone, a person with an invite, or no one.
	SignUp SignUp `env:"SIGNUP" envDefault:"invite"`
	// Custody is hosted, own or both: whether shops' live payments go to wallets of this
	// service, to wallets of their own, or, with both, to the service's until a shop gives its
	// own.
	Custody Custody `env:"CUSTODY" envDefault:"both"`
	// OperatorName and OperatorContact are what the desk says about who runs the service.
	OperatorName    string `env:"OPERATOR_NAME"`
	OperatorContact string `env:"OPERATOR_CONTACT"`
	// ReportingDefault is on if a new account has reports switched on.
	ReportingDefault Switch `env:"REPORTING_DEFAULT" envDefault:"off"`
	// RateLimits is on or off; lockouts and blocks stay on.
	RateLimits Switch `env:"RATE_LIMITS" envDefault:"on"`
}

// Telemetry is logging, metrics and traces.
type Telemetry struct {
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"INFO"`
	// LogFormat is json for machines or text for people.
	LogFormat LogFormat `env:"LOG_FORMAT" envDefault:"json"`
	// InternalListen serves /metrics, /livez, /readyz and, on the worker, the
	// payload codec. It must not be public.
	InternalListen string `env:"INTERNAL_LISTEN" envDefault:"127.0.0.1:9090"`
	// InternalHosts are names under which the internal listener is asked, besides
	// addresses, localhost and names without a dot.
	InternalHosts []string `env:"INTERNAL_HOSTS"`
	// OTLPEndpoint turns tracing on (OTLP over gRPC, host:port).
	OTLPEndpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
}

// Retention is how long data is kept, in days; fractions are allowed.
type Retention struct {
	// PrunePhase1Days: buyer fields are stripped after this.
	PrunePhase1Days Days `env:"PRUNE_PHASE1_DAYS" envDefault:"14"`
	// PrunePhase2Days: charges and delivery logs are deleted after this.
	PrunePhase2Days Days `env:"PRUNE_PHASE2_DAYS" envDefault:"30"`
}

// PruneEvery returns the time between two passes over old data: a tenth of the
// shorter retention, but at least ten seconds and at most an hour.
func (r Retention) PruneEvery() time.Duration {
	return max(10*time.Second, min(time.Hour, r.PrunePhase1Days.Duration()/10, r.PrunePhase2Days.Duration()/10))
}

// Mail is the server that mails are handed to. Without one there are no mails,
// and addresses are not verified.
type Mail struct {
	// SMTPHost is the server's name; empty when there is none.
	SMTPHost string `env:"SMTP_HOST"`
	SMTPPort int    `env:"SMTP_PORT" envDefault:"587"`
	// SMTPTLS is starttls (required, port 587), tls (from the first byte, port
	// 465) or off (a server on the same machine).
	SMTPTLS MailTLS `env:"SMTP_TLS" envDefault:"starttls"`
	// SMTPUser logs in with the password of the file; empty for no login.
	SMTPUser         string `env:"SMTP_USER"`
	SMTPPasswordFile string `env:"SMTP_PASSWORD_FILE"`
	// MailFrom is the sender: an address, or a name with one.
	MailFrom string `env:"MAIL_FROM"`
	// EmailVerification is required or off; when it is not set, required where
	// there is a mail server.
	EmailVerification Verification `env:"EMAIL_VERIFICATION"`
}

// VerifiesEmail reports whether merchants have to verify their addresses.
func (m Mail) VerifiesEmail() bool {
	if m.EmailVerification == "" {
		return m.SMTPHost != ""
	}
	return m.EmailVerification == VerificationRequired
}

// Access is what a session may do.
type Access struct {
	// StepUp is on or off: whether changes of the payout address, automatic
	// conversion, two-factor authentication and keys ask for the password again
	// when the session gave it more than 10 minutes ago.
	StepUp Switch `env:"STEP_UP" envDefault:"on"`
	// PayoutAddressHold is how long sweeps wait after the address that they go to
	// was changed, at most 720h; 0s turns it off.
	PayoutAddressHold time.Duration `env:"PAYOUT_ADDRESS_HOLD" envDefault:"24h"`
	// AdminListeners is where /api/admin is served: internal, on INTERNAL_LISTEN
	// alone, or public, on MERCHANT_LISTEN as well. It is not on the onion listener.
	AdminListeners AdminListeners `env:"ADMIN_LISTENERS" envDefault:"internal"`
}

// Load reads the configuration from the environment and checks it.
func Load() (Config, error) {
	c, err := env.ParseAs[Config]()
	if err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	return c, c.check()
}
