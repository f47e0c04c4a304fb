package merchant_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
)

// presser presses the buttons of forms in a browser without script.
type presser struct {
	tab context.Context
	// site is the base URL of the pages.
	site string
	// routes are the routes whose forms must be pressed. pressed are those whose form was accepted.
	routes  []string
	pressed map[string]bool
}

// filled are the values of a form's fields by name. Naming the value of a box toggles the box.
type filled map[string]string

// startPressing opens a browser without script.
func startPressing(t *testing.T, site string, routes []string) *presser {
	t.Helper()
	tab, _ := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return &presser{tab: tab, site: site, routes: routes, pressed: map[string]bool{}}
}

// opens opens a page and checks that it shows these words.
func (p *presser) opens(t *testing.T, path string, shows ...string) {
	t.Helper()
	p.came(t, path, does(t, p, path, chromedp.NavigateResponse(p.site+path)), shows)
}

// came checks the page of an answer.
func (p *presser) came(t *testing.T, of string, answer *network.Response, shows []string) {
	t.Helper()
	text := p.text(t)
	require.NotNil(t, answer, of)
	require.Less(t, answer.Status, int64(http.StatusBadRequest), "%s: %s", of, text)
	for _, words := range shows {
		require.Contains(t, text, words, of)
	}
}

func (p *presser) text(t *testing.T) string {
	t.Helper()
	return strings.Join(strings.Fields(does(t, p, "text", chromedp.TextContent(chromedp.CSS("body")))), " ")
}

// where returns the path of the page.
func (p *presser) where(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(does(t, p, "address", chromedp.Location()))
	require.NoError(t, err)
	return u.Path
}

// read returns the text of the first element that a selector finds.
func (p *presser) read(t *testing.T, selector string) string {
	t.Helper()
	return strings.TrimSpace(does(t, p, selector, chromedp.TextContent(chromedp.CSS(selector))))
}

// linked returns the path of a link that the page shows for copying.
func (p *presser) linked(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(p.read(t, ".copy"))
	require.NoError(t, err)
	return u.Path
}

// formAt returns the selector of the first form that is posted to a path.
func formAt(path string) string { return fmt.Sprintf("form[method='post'][action='%s']", path) }

// does runs a step in the browser. The step waits for its element for as long as a busy machine
// may need.
func does[T any](t *testing.T, p *presser, what string, step chromedp.Action[T]) T {
	t.Helper()
	ctx, done := context.WithTimeout(p.tab, maxWait)
	defer done()
	got, err := chromedp.Run(ctx, step)
	require.NoError(t, err, what)
	return got
}

// press fills in the page's form that is posted to a path, and presses its button. It checks
// that the next page is not a refusal and shows these words.
func (p *presser) press(t *testing.T, path string, values filled, shows ...string) {
	t.Helper()
	p.hasForm(t, path)
	p.unfold(t, path)
	p.fill(t, formAt(path), values)
	p.came(t, "POST "+path, p.send(t, path), shows)
	p.pressed[routeOf(p.routes, path)] = true
}

// isRefused presses a form that is refused, and does not count it as pressed. The next page must
// show why, and must have the form again.
func (p *presser) isRefused(t *testing.T, path string, values filled, status int64, shows string) {
	t.Helper()
	p.refuses(t, path, values, status, shows)
	p.hasForm(t, path)
}

// refuses presses a form that is refused. The next page must show why.
func (p *presser) refuses(t *testing.T, path string, values filled, status int64, shows string) {
	t.Helper()
	p.unfold(t, path)
	p.fill(t, formAt(path), values)
	answer := p.send(t, path)
	require.Equal(t, status, answer.Status, "%s: %s", path, p.text(t))
	require.Contains(t, p.text(t), shows, path)
}

// hasForm checks that the page has a form that is posted to a path.
func (p *presser) hasForm(t *testing.T, path string) {
	t.Helper()
	page := does(t, p, path, chromedp.InnerHTML(chromedp.CSS("body")))
	require.Contains(t, page, fmt.Sprintf(`action="%s"`, path), "the page has no such form")
}

// pressUntilTaken presses a form repeatedly while it is refused because it is too early.
func (p *presser) pressUntilTaken(t *testing.T, path string, shows ...string) {
	t.Helper()
	answer := p.send(t, path)
	for answer.Status == http.StatusBadRequest {
		require.NoError(t, t.Context().Err())
		answer = p.send(t, path)
	}
	p.came(t, "POST "+path, answer, shows)
	p.pressed[routeOf(p.routes, path)] = true
}

// send presses the button of a form without filling it in.
func (p *presser) send(t *testing.T, path string) *network.Response {
	t.Helper()
	p.hasForm(t, path)
	p.unfold(t, path)
	ctx, done := context.WithTimeout(p.tab, maxWait)
	defer done()
	answer, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(formAt(path)+" button[type='submit']:not([name])")))
	require.NoError(t, err, path)
	require.NotNil(t, answer, path)
	return answer
}

// unfold opens the folds of a form: of fields that few need, and of what does harm if it is pressed by
// mistake.
func (p *presser) unfold(t *testing.T, path string) {
	t.Helper()
	closed := formAt(path) + " details:not([open]) > summary"
	for does(t, p, path, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q) !== null", closed))) {
		does(t, p, path, chromedp.Click(chromedp.CSS(closed)))
	}
}

// fill sets the fields of a form, each in the way of its kind.
func (p *presser) fill(t *testing.T, form string, values filled) {
	t.Helper()
	for name, value := range values {
		field := fmt.Sprintf("%s [name='%s']", form, name)
		switch at := chromedp.CSS(field); does(t, p, field, chromedp.JavascriptAttribute[string](at, "type")) {
		case "checkbox", "radio":
			does(t, p, field, chromedp.Click(chromedp.CSS(fmt.Sprintf("%s[value='%s']", field, value))))
		case "select-one", "date":
			does(t, p, field, chromedp.SetValue(at, value))
		default:
			if does(t, p, field, chromedp.Value(at)) != "" {
				does(t, p, field, chromedp.Clear(at))
			}
			does(t, p, field, chromedp.SendKeys(at, value))
		}
	}
}

// comesToShow reloads a page until it shows these words.
func (p *presser) comesToShow(t *testing.T, path, words string) {
	t.Helper()
	p.shows(t, words, chromedp.Navigate(p.site+path))
}

// showsAtLast waits until the page shows these words without a reload by the test.
func (p *presser) showsAtLast(t *testing.T, words string) {
	t.Helper()
	p.shows(t, words)
}

// shows runs the steps and reads the page, repeatedly, until it shows these words. A page that
// is being replaced has no text.
func (p *presser) shows(t *testing.T, words string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.Eventually(t, func() bool {
		if chromedp.Do(p.tab, steps...) != nil {
			return false
		}
		text, err := chromedp.Run(p.tab, chromedp.TextContent(chromedp.CSS("body")))
		return err == nil && strings.Contains(text, words)
	}, maxWait, 50*time.Millisecond, words)
}

// routeOf returns the route of the form that is posted to a path, or "". A route that equals the
// path takes precedence over one whose pattern matches it.
func routeOf(routes []string, path string) (found string) {
	for _, route := range routes {
		pattern, isPost := strings.CutPrefix(route, http.MethodPost+" ")
		if isPost && samePath(pattern, path) && (found == "" || pattern == path) {
			found = route
		}
	}
	return found
}

// untried returns the routes of forms that were not pressed.
func (p *presser) untried() []string {
	return slices.DeleteFunc(slices.Clone(p.routes), func(route string) bool {
		return !strings.HasPrefix(route, http.MethodPost+" ") || p.pressed[route]
	})
}

// comesFile follows a link to a file of a type, which the browser does not show.
func (p *presser) comesFile(t *testing.T, link, kind string) {
	t.Helper()
	path := does(t, p, link, chromedp.JavascriptAttribute[string](chromedp.CSS(link), "href"))
	isFile := func(e network.EventResponseReceived) bool { return e.Response.URL == path }
	file := does(t, p, link, chromedp.WaitEvent(network.ResponseReceived, isFile, chromedp.Click(chromedp.CSS(link))))
	require.EqualValues(t, http.StatusOK, file.Response.Status, path)
	require.Equal(t, kind, file.Response.MimeType, path)
}
