package monero

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The keys of these addresses come from a wallet made by monero-wallet-rpc.
const (
	walletView    = "2ee3e99263ccdfd7d15e0382b9c6927e6e8a0a7edced7a33765d5a65602df10d"
	walletPrimary = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	walletSub1    = "88HmkqhAoUGBUt8stRp3nAMYZoQtvDSixP72FNrRxGkodE47C2exQA1dLDTG62Hmxv651Jd5ivxYGPGnsv7vdy7q5gzpAMU"
	walletSub2    = "8B5DsF1B6xdNgS4Yv4aCezU7ZecoHD8ufQYj1c2wPGvnMc1Rj6hfFctdvE69R4Uz3Qi196PSprC8pNK5ah8yeS73FHnM415"
)

func TestAddressesOfAllNetworksAndKindsReadBack(t *testing.T) {
	t.Parallel()
	firstLetters := map[Network][3]string{
		Mainnet: {"4", "8", "4"}, Testnet: {"9A", "B", "A"}, Stagenet: {"5", "7", "5"},
	}
	known, err := ParseAddress(walletPrimary)
	require.NoError(t, err)
	for network, letters := range firstLetters {
		for kind := KindStandard; kind <= KindIntegrated; kind++ {
			a := Address{Network: network, Kind: kind, Spend: known.Spend, View: known.View}
			if kind == KindIntegrated {
				a.PaymentID = [paymentIDLen]byte{1, 2, 3}
			}
			read, err := ParseAddress(a.String())
			require.NoError(t, err)
			require.Equal(t, a, read)
			require.Contains(t, letters[kind], a.String()[:1])
		}
	}
}

func TestParseAddressReadsTheWalletsAddresses(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]Kind{walletPrimary: KindStandard, walletSub1: KindSubaddress} {
		a, err := ParseAddress(text)
		require.NoError(t, err)
		require.Equal(t, Mainnet, a.Network)
		require.Equal(t, kind, a.Kind)
		require.Equal(t, text, a.String())
	}
}

func TestParseAddressRefusesWhatCannotBePaid(t *testing.T) {
	t.Parallel()
	good, err := ParseAddress(walletPrimary)
	require.NoError(t, err)
	offCurve, notCanonical := good, good
	typo := "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4v"
	offCurve.View = [keyLen]byte{2}
	notCanonical.Spend = [keyLen]byte{0: 0xee}
	for i := 1; i < 31; i++ {
		notCanonical.Spend[i] = 0xff
	}
	notCanonical.Spend[31] = 0x7f

	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty":                 {"", ErrAddress},
		"short":                 {walletPrimary[:94], ErrAddress},
		"long":                  {walletPrimary + "1", ErrAddress},
		"very long":             {strings.Repeat("4", 1<<20), ErrAddress},
		"letter out of base58":  {"0" + walletPrimary[1:], ErrAddress},
		"block overflows":       {strings.Repeat("z", 95), ErrAddress},
		"space":                 {" " + walletPrimary, ErrAddress},
		"mistyped":              {typo, ErrAddressChecksum},
		"bitcoin":               {"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", ErrAddress},
		"unknown network":       {withPrefix(good, 17), ErrAddressNetwork},
		"payment id is missing": {withPrefix(good, 19), ErrAddress},
		"key off the curve":     {offCurve.String(), ErrAddressKey},
		"key not canonical":     {notCanonical.String(), ErrAddressKey},
	} {
		_, err := ParseAddress(c.text)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorIs(t, err, ErrAddress, name)
	}
}

// withPrefix returns the address with another first byte and a matching
// checksum.
func withPrefix(a Address, first byte) string {
	raw, _ := base58Decode(a.String())
	body := raw[:len(raw)-checksumLen]
	body[0] = first
	return base58Encode(append(body, addressChecksum(body)...))
}

func FuzzParseAddress(f *testing.F) {
	integrated, err := ParseAddress(walletPrimary)
	require.NoError(f, err)
	integrated.Kind, integrated.PaymentID = KindIntegrated, [paymentIDLen]byte{7}
	for _, seed := range []string{walletPrimary, walletSub1, walletPrimary[:94], "", "z", strings.Repeat("z", 106), integrated.String()} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			require.ErrorIs(t, err, ErrAddress)
			return
		}
		require.Equal(t, text, a.String())
	})
}

func FuzzBase58(f *testing.F) {
	f.Add([]byte{0, 1, 2})
	f.Add([]byte("eleven bytes and more"))
	f.Fuzz(func(t *testing.T, data []byte) {
		back, ok := base58Decode(base58Encode(data))
		require.True(t, ok)
		require.Len(t, back, len(data))
		require.Equal(t, string(data), string(back))
	})
}
