package smtpsink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// Run accepts mails on one address and shows them on another until the context ends.
func Run(ctx context.Context, smtpAddr, httpAddr string) error {
	// Open both listeners before serving, so that a client that reaches one also reaches the
	// other.
	var config net.ListenConfig
	mails, err := config.Listen(ctx, "tcp", smtpAddr)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	web, err := config.Listen(ctx, "tcp", httpAddr)
	if err != nil {
		return errors.Join(fmt.Errorf("mail: %w", err), mails.Close())
	}
	c := &Sink{}
	server := &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.ServeSMTP(ctx, mails) })
	group.Go(func() error {
		if err := server.Serve(web); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("mail: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		return server.Close()
	})
	return group.Wait()
}
