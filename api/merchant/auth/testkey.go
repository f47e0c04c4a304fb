package auth

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/config"
)

// NeedTestKey lets requests through with the header "Authorization: Bearer <key>",
// where the key is the contract's of the sandbox. 401 without a good key, 403 for a
// live one, and for one of an application.
func (g *Guard) NeedTestKey(ctx huma.Context, next func(huma.Context)) {
	refused := answer.Unauthorized("a valid test API key is required: Authorization: Bearer <key>")
	scheme, key, _ := strings.Cut(ctx.Header("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		key = ""
	}
	g.letIn(ctx, next, strings.TrimSpace(key), refused, func(caller Key) error {
		switch {
		case caller.Mode != config.Sandbox:
			return answer.Forbidden("test clocks are of the sandbox: use a test API key")
		case caller.ID != "":
			return answer.Forbidden("test clocks need the merchant's own test API key")
		default:
			return nil
		}
	})
}
