// Package browser is a customer's browser: Chromium without script, driven as a
// person would, by typing and clicking. It reads the text that a page shows.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// startup is how long Chromium may take to begin on a busy machine.
const startup = 5 * time.Minute

// Browser is one window in a Chromium of its own.
type Browser struct {
	window  context.Context //nolint:containedctx // chromedp keeps its window in a context
	stop    context.CancelFunc
	profile string
}

// Open starts a browser with scripts switched off. It asks pages for a
// language, such as de, and closes with Close or the context.
func Open(ctx context.Context, language string) (*Browser, error) {
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		return nil, fmt.Errorf("browser: %w (`go run ./deploy/dev install` fetches it)", err)
	}
	profile, err := os.MkdirTemp("", "durapay-browser-")
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	allocator, stop := chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.WSURLReadTimeout(startup),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("accept-lang", language),
	)
	window, _ := chromedp.NewContext(allocator)
	b := &Browser{window: window, stop: stop, profile: profile}
	without := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(window, emulation.SetScriptExecutionDisabled, without); err != nil {
		return nil, errors.Join(fmt.Errorf("browser: %w", err), b.Close())
	}
	return b, nil
}

// Close ends the browser and forgets what it has kept.
func (b *Browser) Close() error {
	err := chromedp.Cancel(b.window)
	b.stop()
	return errors.Join(err, os.RemoveAll(b.profile))
}

// Visit opens an address.
func (b *Browser) Visit(address string) error {
	if err := chromedp.Do(b.window, chromedp.Navigate(address)); err != nil {
		return fmt.Errorf("browser: open %s: %w", address, err)
	}
	return nil
}

// Type writes a text into an input that is empty.
func (b *Browser) Type(selector, text string) error {
	return b.act("type into", selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Click clicks on the middle of an element.
func (b *Browser) Click(selector string) error {
	return b.act("click", selector, chromedp.Click(chromedp.CSS(selector)))
}

// Await waits until an element is to be seen.
func (b *Browser) Await(selector string) error {
	return b.act("wait for", selector, chromedp.WaitVisible(chromedp.CSS(selector)))
}

// Text is the text of an element, without white space around it.
func (b *Browser) Text(selector string) (string, error) {
	text, err := chromedp.Run(b.window, chromedp.TextContent(chromedp.CSS(selector)))
	if err != nil {
		return "", fmt.Errorf("browser: read %s: %w", selector, err)
	}
	return strings.TrimSpace(text), nil
}

// Address is what stands in the address bar.
func (b *Browser) Address() (string, error) {
	history, err := chromedp.Run(b.window, chromedp.NavigationEntries())
	if err != nil {
		return "", fmt.Errorf("browser: read the address: %w", err)
	}
	return history.Entries[history.CurrentIndex].URL, nil
}

func (b *Browser) act(what, selector string, action chromedp.Action[chromedp.Void]) error {
	if err := chromedp.Do(b.window, action); err != nil {
		return fmt.Errorf("browser: %s %s: %w", what, selector, err)
	}
	return nil
}
