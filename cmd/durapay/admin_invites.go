package main

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/operator"
)

// inviteCmd holds the commands for invites to open an account.
type inviteCmd struct {
	Create inviteCreateCmd `cmd:"" help:"Make an invite, good for one account. It is shown once."`
	List   inviteListCmd   `cmd:"" help:"List the newest invites."`
	Revoke inviteRevokeCmd `cmd:"" help:"Take an unused invite away."`
}

type inviteCreateCmd struct {
	For  time.Duration `default:"168h" placeholder:"DURATION" help:"How long it is good: 168h is a week."`
	Note string        `placeholder:"TEXT" help:"Whom it is for, shown to operators only."`
}

// Run creates an invite.
func (c *inviteCreateCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Invite, error) {
		return d.CreateInvite(ctx, admin.actor(), c.For, c.Note)
	})
}

type inviteListCmd struct{}

// Run lists invites.
func (c *inviteListCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Invites, error) { return d.Invites(ctx) })
}

type inviteRevokeCmd struct {
	ID string `arg:"" help:"Identifier of the invite, in_…"`
}

// Run revokes the invite.
func (c *inviteRevokeCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Invites, error) { return d.RevokeInvite(ctx, admin.actor(), c.ID) })
}
