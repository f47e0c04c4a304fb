// Command durapay is the whole service in one binary: the merchant API, the
// worker, and the commands of its operators. It reads the configuration,
// wires the parts together and exits; see durapay --help.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type cli struct {
	MerchantAPI merchantAPICmd `cmd:"" name:"merchant-api" help:"Serve the merchant API and the hosted payment pages."`
	SwapAPI     swapAPICmd     `cmd:"" name:"swap-api" help:"Serve the swap exchange's API."`
	Worker      workerCmd      `cmd:"" help:"Run workflows and activities."`
	Migrate     migrateCmd     `cmd:"" help:"Bring the database schema up to date."`
	Keygen      keygenCmd      `cmd:"" help:"Generate the key files that are missing in a folder."`
	OpenAPI     openAPICmd     `cmd:"" name:"openapi" help:"Write the OpenAPI documents."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Listen      listenCmd      `cmd:"" help:"Forward events of the sandbox to a developer's machine."`
	Admin       adminCmd       `cmd:"" help:"Commands for operators."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var commands cli
	parsed := kong.Parse(&commands, kong.Name("durapay"),
		kong.Description("Takes Monero for merchants. Settings come from environment variables; see docs/operations.md."),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "durapay:", err)
		os.Exit(1) //nolint:gocritic // the deferred stop only unregisters signals
	}
}
