package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/listen"
)

// listenCmd forwards events of the sandbox to this machine.
type listenCmd struct {
	ForwardTo string   `required:"" placeholder:"URL" help:"Where events are posted to, such as http://localhost:3000/webhooks."`
	API       string   `required:"" env:"DURAPAY_URL" placeholder:"URL" help:"Address of the service, such as https://pay.example.com."`
	Key       string   `required:"" env:"DURAPAY_API_KEY" help:"Key of the sandbox: cm_test_…"`
	Events    []string `help:"Events to forward, with commas between them; all by default."`
	Trigger   []string `help:"Events to bring about at the start, such as charge.confirmed."`
	Resume    bool     `help:"Go on from where the last run stopped; from now by default."`
	Secret    string   `env:"WEBHOOK_SECRET" help:"Secret of the signatures; by default one that is made once and kept in your home folder."`
}

// Run forwards until it is interrupted.
func (c *listenCmd) Run(ctx context.Context) error {
	for _, address := range []string{c.ForwardTo, c.API} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("%q is no address that begins with http:// or https://", address)
		}
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(c.API, "/")
	state, err := listen.OpenState(folder, base, c.Key)
	if err != nil {
		return err
	}
	l := &listen.Listener{
		API: listen.API{Base: base, Key: c.Key, Client: &http.Client{Timeout: time.Minute}}, ForwardTo: c.ForwardTo, Types: c.Events, Secret: cmp.Or(c.Secret, state.Secret),
		Saved: state.Save, Out: os.Stdout, Pause: pause, Trigger: c.Trigger,
	}
	if c.Resume {
		l.After = state.Cursor
	}
	return l.Run(ctx)
}

// pause waits for a time, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
