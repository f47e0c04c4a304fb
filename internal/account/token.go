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
	// ErrToken is returned for a token that is malformed, expired, or not signed
	// with our key.
	ErrToken = errors.New("invalid token")
	// ErrTokenKey is returned for a signing key that is shorter than 32 bytes.
	ErrTokenKey = errors.New("the JWT secret must have at least 32 bytes")
)

// Session is what a token says.
type Session struct {
	// MerchantID is the claim sub.
	MerchantID string
	// Version must equal the account's token version.
	Version int32
	// ID is the claim jti and IssuedAt the claim iat, in whole seconds: Issue
	// makes both.
	ID       string
	IssuedAt time.Time
	// LoginAt is when the merchant last completed a login for this session, in
	// whole seconds: the claim auth_time, or IssuedAt for a token without one. A
	// token that replaces another one keeps its LoginAt.
	LoginAt time.Time
}

// ExpiresAt is when the token ends.
func (s Session) ExpiresAt() time.Time { return s.IssuedAt.Add(TokenLife) }

// FreshUntil is until when the password that the token was issued for counts as
// given just now.
func (s Session) FreshUntil() time.Time { return s.IssuedAt.Add(StepUpLife) }

type claims struct {
	jwt.RegisteredClaims
	Version int32            `json:"ver"`
	LoginAt *jwt.NumericDate `json:"auth_time,omitempty"`
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

// Issue makes a token that is valid for TokenLife, for a session of its own.
func (t *Tokens) Issue(s Session) (string, error) {
	now := t.clock()
	var loginAt *jwt.NumericDate
	if !s.LoginAt.IsZero() {
		loginAt = jwt.NewNumericDate(s.LoginAt)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: s.MerchantID, IssuedAt: jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(TokenLife)), ID: rand.Text(),
		},
		Version: s.Version, LoginAt: loginAt,
	}).SignedString(t.key)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return token, nil
}

// Read checks a token; ErrToken when it is not one of ours or has expired, or
// does not say which session it is of and since when.
func (t *Tokens) Read(token string) (Session, error) {
	var c claims
	if _, err := t.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return t.key, nil }); err != nil {
		return Session{}, ErrToken
	}
	if c.ID == "" || c.IssuedAt == nil {
		return Session{}, ErrToken
	}
	if c.LoginAt == nil {
		c.LoginAt = c.IssuedAt
	}
	return Session{MerchantID: c.Subject, Version: c.Version, ID: c.ID, IssuedAt: c.IssuedAt.Time, LoginAt: c.LoginAt.Time}, nil
}
