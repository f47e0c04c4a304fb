// Command durapay is the whole service in one binary: the merchant API, the
// worker, the commands of its operators, and listen for merchants' developers. It reads the configuration,
// wires the parts together and exits; see durapay --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
)

type cli struct {
	MerchantAPI merchantAPICmd `cmd:"" name:"merchant-api" help:"Serve the merchant API and the hosted payment pages."`
	SwapAPI     swapAPICmd     `cmd:"" name:"swap-api" help:"Serve the swap exchange's API."`
	Worker      workerCmd      `cmd:"" help:"Run workflows and activities."`
	Migrate     migrateCmd     `cmd:"" help:"Bring the database schema up to date."`
	Keygen      keygenCmd      `cmd:"" help:"Generate the key files that are missing in a folder."`
	OpenAPI     openAPICmd     `cmd:"" name:"openapi" help:"Write the OpenAPI documents."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Listen      listenCmd      `cmd:"" help:"For merchants: forward events of the sandbox to a developer's machine."`
	Admin       adminCmd       `cmd:"" help:"Commands for operators."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var commands cli
	parsed := kong.Parse(&commands, kong.Name("durapay"),
		kong.Description("Takes Monero for merchants. Settings come from environment variables; see docs/operations.md."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "durapay:", err)
		os.Exit(1) //nolint:gocritic // the deferred stop only unregisters signals
	}
}

// versionCmd prints the version of this build.
type versionCmd struct{}

// Run prints only the version, for use in scripts.
func (c *versionCmd) Run() error {
	fmt.Println(config.Version)
	return nil
}

// openAPICmd writes the OpenAPI documents.
type openAPICmd struct {
	Dir string `default:"openapi" help:"Folder for the documents." type:"path"`
}

// Run generates the documents from the code.
func (c *openAPICmd) Run() error {
	return errors.Join(merchant.WriteOpenAPI(c.Dir), greenfield.WriteOpenAPI(c.Dir), swap.WriteOpenAPI(c.Dir))
}

// migrateCmd updates the database schema.
type migrateCmd struct{}

// Run applies the missing migrations.
func (c *migrateCmd) Run(ctx context.Context) error {
	return withStore(ctx, postgres.Migrating, func(_ config.Config, store *postgres.Store) error { return store.Migrate(ctx) })
}
