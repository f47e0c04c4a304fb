package account

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// TokenLife is how long a session token is valid.
const TokenLife = 7 * 24 * time.Hour

// minTokenKey is the shortest key, in bytes, that HS256 is safe with.
const minTokenKey = 32

// Errors of tokens.
var (
	// ErrToken says that a token is malformed, expired, or signed by others.
	ErrToken = errors.New("invalid token")
	// ErrTokenKey says that the signing key is shorter than 32 bytes.
	ErrTokenKey = errors.New("the JWT secret must have at least 32 bytes")
)

// Session is what a token says.
type Session struct {
	// MerchantID is the claim sub.
	MerchantID string
	// Version must equal the account's token version.
	Version int32
}

type claims struct {
	jwt.RegisteredClaims
	Version int32 `json:"ver"`
}

// Tokens issues and reads session tokens (JWT, HS256 and nothing else).
type Tokens struct {
	key    []byte
	clock  func() time.Time
	parser *jwt.Parser
}

// NewTokens uses key for all tokens; ErrTokenKey when it is too short.
func NewTokens(key []byte, clock func() time.Time) (*Tokens, error) {
	if len(key) < minTokenKey {
		return nil, ErrTokenKey
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(clock))
	return &Tokens{key: key, clock: clock, parser: parser}, nil
}

// Issue makes a token that is valid for TokenLife.
func (t *Tokens) Issue(s Session) (string, error) {
	now := t.clock()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: s.MerchantID, IssuedAt: jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(TokenLife)), ID: rand.Text(),
		},
		Version: s.Version,
	}).SignedString(t.key)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return token, nil
}

// Read checks a token; ErrToken when it is not one of ours or has expired.
func (t *Tokens) Read(token string) (Session, error) {
	var c claims
	if _, err := t.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return t.key, nil }); err != nil {
		return Session{}, ErrToken
	}
	return Session{MerchantID: c.Subject, Version: c.Version}, nil
}
