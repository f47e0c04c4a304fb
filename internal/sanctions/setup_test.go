package sanctions_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/sanctions"
)

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

const (
	evmMixed  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	evm       = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
	base58    = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"
	bech32    = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	cashaddr  = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
	opaque    = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"
	publicist = "Digital Currency Address - "

	// oldScript is script in Litecoin's former format.
	script    = "MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9"
	oldScript = "3PQXr1pxwQ3xGrpaxFEwqbeCfMYPPtqyjT"

	// integrated is primary with a payment ID.
	primary    = "4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge"
	integrated = "4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK"
	subaddress = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H"
)

// sanctioned is one identifier of a list: the asset and the address.
type sanctioned struct{ asset, address string }

func entries() []sanctioned {
	return []sanctioned{
		{"XBT", base58}, {"XBT", strings.ToUpper(bech32)}, {"ETH", evmMixed}, {"BCH", "bitcoincash:" + cashaddr},
		{"XMR", " " + opaque + "\n"}, {"USDT", evm}, // the same address under another asset
	}
}

// sdn returns a list in the short form.
func sdn(namespace string, list ...sanctioned) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" standalone="yes"?><sdnList xmlns="%s">`+
		`<publshInformation><Publish_Date>11/20/2026</Publish_Date><Record_Count>1</Record_Count></publshInformation>`+
		`<sdnEntry><uid>1</uid><lastName>SOMEBODY</lastName><idList>`+
		`<id><uid>1</uid><idType>Passport</idType><idNumber>%s</idNumber><idCountry>Nowhere</idCountry></id>`, namespace, "A1234567")
	for i, e := range list {
		fmt.Fprintf(&b, "<id><uid>%d</uid><idType>%s%s</idType><idNumber>%s</idNumber></id>\n", i, publicist, e.asset, e.address)
	}
	b.WriteString(`</idList></sdnEntry></sdnList>`)
	return b.String()
}

// advanced returns a list in the long form, with features of other kinds in
// between.
func advanced(namespace string, list ...sanctioned) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<Sanctions xmlns="%s" Version="3"><DateOfIssue CalendarTypeID="1"><Year>2026</Year><Month>11</Month><Day>20</Day></DateOfIssue>`+
		`<ReferenceValueSets><FeatureTypeValues><FeatureType ID="8" FeatureTypeGroupID="1">Birthdate</FeatureType>`, namespace)
	types := map[string]int{}
	for _, e := range list {
		if types[e.asset] == 0 {
			types[e.asset] = 300 + len(types)
			fmt.Fprintf(&b, `<FeatureType ID="%d" FeatureTypeGroupID="1">%s%s</FeatureType>`, types[e.asset], publicist, e.asset)
		}
	}
	b.WriteString(`</FeatureTypeValues></ReferenceValueSets><DistinctParties><DistinctParty FixedRef="1"><Profile ID="1">` +
		`<Feature ID="1" FeatureTypeID="8"><FeatureVersion ID="1"><DatePeriod><Start><From><Year>1970</Year><Month>1</Month><Day>1</Day></From></Start></DatePeriod>` +
		`<VersionDetail DetailTypeID="1432">not an address</VersionDetail></FeatureVersion></Feature>`)
	for _, e := range list {
		fmt.Fprintf(&b, `<Feature ID="2" FeatureTypeID="%d"><FeatureVersion ID="2"><Comment/><VersionDetail DetailTypeID="1432">%s</VersionDetail>`+
			`</FeatureVersion></Feature>`, types[e.asset], e.address)
	}
	b.WriteString(`</Profile></DistinctParty></DistinctParties></Sanctions>`)
	return b.String()
}

// made returns a list of n addresses that differ from those of every other
// letter.
func made(t *testing.T, letter string, n int) sanctions.List {
	t.Helper()
	list := make([]sanctioned, n)
	for i := range list {
		list[i] = sanctioned{"XBT", fmt.Sprintf("1%s%d", letter, i)}
	}
	parsed, err := sanctions.Parse(strings.NewReader(sdn("urn:list", list...)))
	require.NoError(t, err)
	require.Len(t, parsed.Entries, n)
	return parsed
}

func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
