package sanctions_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/sanctions"
)

func TestBothFormsGiveTheSameList(t *testing.T) {
	t.Parallel()
	want := []sanctions.Entry{
		{Address: base58, Asset: "XBT"}, {Address: bech32, Asset: "XBT"}, {Address: evm, Asset: "ETH"},
		{Address: cashaddr, Asset: "BCH"}, {Address: opaque, Asset: "XMR"},
	}
	for _, namespace := range []string{
		"http://tempuri.org/sdnList.xsd", "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML", "",
	} {
		for _, text := range []string{sdn(namespace, entries()...), advanced(namespace, entries()...)} {
			list, err := sanctions.Parse(strings.NewReader(text))
			require.NoError(t, err)
			require.Equal(t, want, list.Entries)
			require.Equal(t, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), list.PublishedAt)
			require.Equal(t, digest(text), list.Digest)
			require.Equal(t, []sanctions.Count{{"XBT", 2}, {"BCH", 1}, {"ETH", 1}, {"XMR", 1}}, list.Assets())
		}
	}
}

func TestWhatIsNoListIsRefused(t *testing.T) {
	t.Parallel()
	whole := sdn("urn:list", entries()...)
	for name, text := range map[string]string{
		"empty":            "",
		"not XML":          "Service Unavailable",
		"a page":           "<html><body>" + whole + "</body></html>",
		"cut off":          whole[:len(whole)-20],
		"cut off advanced": advanced("urn:list", entries()...)[:900],
		"no addresses":     sdn("urn:list"),
		"trailing text":    whole + "<",
		"an endless entry": strings.Replace(whole, base58, strings.Repeat("1", 5000), 1),
		"an entity":        strings.Replace(whole, base58, "&boom;", 1),
		"another encoding": `<?xml version="1.0" encoding="UTF-16"?>` + strings.TrimPrefix(whole, `<?xml version="1.0" standalone="yes"?>`),
	} {
		_, err := sanctions.Parse(strings.NewReader(text))
		require.ErrorIs(t, err, sanctions.ErrList, name)
	}
}

func TestListWithoutDateHasNone(t *testing.T) {
	t.Parallel()
	list, err := sanctions.Parse(strings.NewReader(strings.Replace(sdn("", entries()...), "11/20/2026", "soon", 1)))
	require.NoError(t, err)
	require.Zero(t, list.PublishedAt)
}

func TestAddressesHaveOneSpelling(t *testing.T) {
	t.Parallel()
	mweb := "ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf"
	for address, want := range map[string]string{
		evmMixed: evm, strings.ToUpper(evm): evm, " " + evm + "\n": evm,
		bech32: bech32, strings.ToUpper(bech32): bech32, strings.ToUpper(mweb): mweb,
		"bitcoincash:" + cashaddr: cashaddr, strings.ToUpper("bitcoincash:" + cashaddr): cashaddr, strings.ToUpper(cashaddr): cashaddr,
		base58: base58, strings.ToLower(base58): strings.ToLower(base58), opaque: opaque,
		integrated: primary, primary: primary, subaddress: subaddress,
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg",
		"": "", "1": "1", ":": ":", "A": "A",
	} {
		require.Equal(t, want, sanctions.Normalise(address))
		require.Equal(t, want, sanctions.Normalise(want), "twice is once")
	}
}

func TestAddressesAreReadAtAnyDepth(t *testing.T) {
	t.Parallel()
	text := advanced("urn:list", entries()...)
	flat, err := sanctions.Parse(strings.NewReader(text))
	require.NoError(t, err)
	deeper := strings.NewReplacer("<VersionDetail", "<More><VersionDetail", "</VersionDetail>", "</VersionDetail></More>").Replace(text)
	deep, err := sanctions.Parse(strings.NewReader(deeper))
	require.NoError(t, err)
	require.NotEmpty(t, deep.Entries)
	require.Equal(t, flat.Entries, deep.Entries)
}

func TestDevelopmentListIsAList(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../deploy/dev/sanctions.xml")
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	list, err := sanctions.Parse(f)
	require.NoError(t, err)
	require.Len(t, list.Entries, 10)
	require.Zero(t, list.PublishedAt, "it does not age")
}

// generated returns a list in the long form with at least this many bytes. It
// is generated while it is read, so it is never in memory as a whole.
func generated(size int) io.Reader {
	r, w := io.Pipe()
	go func() {
		head, tail, _ := strings.Cut(advanced("urn:list", entries()...), "</Profile>")
		_, err := io.WriteString(w, head)
		for written := len(head); written < size && err == nil; {
			var n int
			n, err = fmt.Fprintf(w, `<Feature ID="%d" FeatureTypeID="8"><FeatureVersion ID="1" ReliabilityID="1"><Comment>%s</Comment>`+
				`<VersionDetail DetailTypeID="1430">somewhere</VersionDetail></FeatureVersion></Feature>`, written, strings.Repeat("x", 300))
			written += n
		}
		_, _ = io.WriteString(w, "</Profile>"+tail)
		_ = w.Close()
	}()
	return r
}

// The memory in use during the read of a list of 80 MB must be far less than
// the list.
func TestLargeListIsReadAsAStream(t *testing.T) {
	t.Parallel()
	const size = 80 << 20
	watched := &peak{Reader: generated(size)}
	list, err := sanctions.Parse(watched)
	require.NoError(t, err)
	require.Len(t, list.Entries, 5)
	require.Greater(t, watched.read, size)
	require.Less(t, watched.highest, uint64(24<<20))
}

// peak measures the memory in use while it is read.
type peak struct {
	io.Reader

	read    int
	next    int
	highest uint64
}

func (p *peak) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.read += n
	if p.read >= p.next {
		p.next += 8 << 20
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		p.highest = max(p.highest, stats.HeapAlloc)
	}
	return n, err
}

func FuzzParse(f *testing.F) {
	f.Add(sdn("urn:list", entries()...))
	f.Add(advanced("urn:list", entries()...))
	f.Fuzz(func(t *testing.T, text string) {
		list, err := sanctions.Parse(strings.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, sanctions.ErrList)
			return
		}
		for _, e := range list.Entries {
			require.Equal(t, e.Address, sanctions.Normalise(e.Address))
		}
	})
}
