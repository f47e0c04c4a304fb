package secret_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/durapay/durapay/internal/secret"
)

const uiOrigin = "http://127.0.0.1:8233"

func newCodec(t *testing.T, keyset string) *secret.PayloadCodec {
	t.Helper()
	codec, err := secret.NewPayloadCodec(keyset)
	require.NoError(t, err)
	return codec
}

func TestPayloadsAreEncryptedOnTheWay(t *testing.T) {
	t.Parallel()
	keyset := newKeyset(t)
	data := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), newCodec(t, keyset))

	payloads, err := data.ToPayloads("customer text", 7, nil)
	require.NoError(t, err)
	for _, p := range payloads.GetPayloads() {
		require.Equal(t, "binary/encrypted", string(p.GetMetadata()["encoding"]))
		require.Len(t, p.GetMetadata(), 1, "the type of the content is hidden too")
		require.NotContains(t, string(p.GetData()), "customer")
	}

	require.NoError(t, secret.Rotate(keyset))
	later := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), newCodec(t, keyset))
	var text string
	var number int
	var none *string
	require.NoError(t, later.FromPayloads(payloads, &text, &number, &none))
	require.Equal(t, "customer text", text)
	require.Equal(t, 7, number)
	require.Nil(t, none)
}

// An attacker with access to Temporal but without the key can write a plain
// payload. The services refuse it, and the UI still shows it.
func TestPlainPayloadsAreRefused(t *testing.T) {
	t.Parallel()
	codec := newCodec(t, newKeyset(t))
	plain, err := converter.GetDefaultDataConverter().ToPayload("visible")
	require.NoError(t, err)
	for _, forged := range []*commonpb.Payload{plain, {}, {Metadata: map[string][]byte{"encoding": nil}, Data: []byte("x")}} {
		_, err = codec.Decode([]*commonpb.Payload{forged})
		require.ErrorIs(t, err, secret.ErrPlainPayload)
	}
	data := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	var text string
	require.ErrorIs(t, data.FromPayload(plain, &text), secret.ErrPlainPayload)
	require.Empty(t, text)
	out, err := codec.ForDisplay().Decode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	require.True(t, proto.Equal(plain, out[0]))
}

func TestDecodeRefusesForeignCiphertext(t *testing.T) {
	t.Parallel()
	plain, err := converter.GetDefaultDataConverter().ToPayload("x")
	require.NoError(t, err)
	sealed, err := newCodec(t, newKeyset(t)).Encode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	_, err = newCodec(t, newKeyset(t)).Decode(sealed)
	require.ErrorIs(t, err, secret.ErrUnseal)
}

func TestPayloadCodecNeedsAKeyset(t *testing.T) {
	t.Parallel()
	_, err := secret.NewPayloadCodec(t.TempDir() + "/missing")
	require.ErrorIs(t, err, secret.ErrKeyset)
}

const codecToken = "the token of the codec"

// codecServer serves a codec at the same path as the internal listener.
func codecServer(t *testing.T) (url string, codec *secret.PayloadCodec) {
	t.Helper()
	return codecServerWith(t, codecToken)
}

func codecServerWith(t *testing.T, token string) (url string, codec *secret.PayloadCodec) {
	t.Helper()
	codec = newCodec(t, newKeyset(t))
	mux := http.NewServeMux()
	mux.Handle("/codec/", secret.CodecHandler(codec, secret.CodecAccess{UIOrigin: uiOrigin + "/some/path", Token: token}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/codec", codec
}

func TestCodecEndpointSpeaksTheRemoteCodecProtocol(t *testing.T) {
	t.Parallel()
	url, codec := codecServer(t)
	plain, err := converter.GetDefaultDataConverter().ToPayload("readable")
	require.NoError(t, err)
	sealed, err := codec.Encode([]*commonpb.Payload{plain})
	require.NoError(t, err)

	remote := converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{
		Endpoint: url, ModifyRequest: func(r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+codecToken)
			return nil
		},
	})
	out, err := remote.Decode(sealed)
	require.NoError(t, err)
	require.True(t, proto.Equal(plain, out[0]))
}

func send(t *testing.T, method, url, origin, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	req.Header.Set("Authorization", "Bearer "+codecToken)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestCodecEndpointIsForTheWebUIAlone(t *testing.T) {
	t.Parallel()
	url, codec := codecServer(t)
	sealed, err := codec.Encode([]*commonpb.Payload{{Data: []byte("x")}})
	require.NoError(t, err)
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: sealed})
	require.NoError(t, err)

	preflight := send(t, http.MethodOptions, url+"/decode", uiOrigin, "")
	require.Equal(t, http.StatusNoContent, preflight.StatusCode)
	require.Equal(t, uiOrigin, preflight.Header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, preflight.Header.Get("Access-Control-Allow-Methods"), "POST")
	require.Contains(t, preflight.Header.Get("Access-Control-Allow-Headers"), "X-Namespace")

	decode := send(t, http.MethodPost, url+"/decode", uiOrigin, string(body))
	require.Equal(t, http.StatusOK, decode.StatusCode)
	require.Equal(t, uiOrigin, decode.Header.Get("Access-Control-Allow-Origin"))

	for _, origin := range []string{"http://127.0.0.1:8234", "https://127.0.0.1:8233", "null", "http://127.0.0.1:8233.example.com"} {
		for _, method := range []string{http.MethodOptions, http.MethodPost} {
			refused := send(t, method, url+"/decode", origin, string(body))
			require.Equal(t, http.StatusForbidden, refused.StatusCode, "%s %s", method, origin)
			require.Empty(t, refused.Header.Get("Access-Control-Allow-Origin"))
		}
	}
}

func TestCodecEndpointBoundsItsInput(t *testing.T) {
	t.Parallel()
	url, _ := codecServer(t)
	// One byte too many: the server reads all of it before it refuses it, so it
	// does not close the connection while the client is still sending.
	const before, after = `{"payloads":[{"data":"`, `"}]}`
	big := before + strings.Repeat("A", 16<<20+1-len(before)-len(after)) + after
	require.Equal(t, http.StatusBadRequest, send(t, http.MethodPost, url+"/decode", uiOrigin, big).StatusCode)
	require.Equal(t, http.StatusBadRequest, send(t, http.MethodPost, url+"/decode", uiOrigin, "{").StatusCode)
	require.Equal(t, http.StatusNotFound, send(t, http.MethodGet, url+"/decode", uiOrigin, "").StatusCode)
}
