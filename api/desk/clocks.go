package desk

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/durapay/durapay/api/ownapi"
	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/internal/secret"
)

// clocksAPI is where the API has test clocks.
const clocksAPI = "/v1/test_helpers/test_clocks"

// refreshClock is after how many seconds the page of a clock that advances shows itself
// anew.
const refreshClock = 2

// listedClocks is as many as a merchant can have.
const listedClocks = "100"

// clockAnswer is a test clock as the API tells of it. Times are seconds since 1970.
type clockAnswer struct {
	ID           string  `json:"id"`
	Name         *string `json:"name"`
	FrozenTime   int64   `json:"frozen_time"`
	DeletesAfter int64   `json:"deletes_after"`
	Status       string  `json:"status"`
	Details      struct {
		Advancing *struct {
			Target int64 `json:"target_frozen_time"`
		} `json:"advancing"`
	} `json:"status_details"`
}

// onceField is the hidden field of the idempotency key that the API is sent: what it asks
// for is done once, and answered as often as it is sent.
const onceField = "once"

// once is that field.
func (v *visit) once() []sheet.Hidden {
	return []sheet.Hidden{{Name: onceField, Value: v.filled(onceField, secret.NewID("desk-"))}}
}

// callClocks sends a request about clocks, which takes a form. What is repeated with
// the form's own field is done once.
func (v *visit) callClocks(method, path string, inputs url.Values, into any) error {
	q := v.requestTo(method, clocksAPI+path, nil)
	q.Inputs = inputs
	if method == http.MethodPost {
		q.Once = v.form(onceField)
	}
	return ownapi.Send(v.API, v.asDesk(), q, into)
}

func (v *visit) readClocks() ([]clockAnswer, error) {
	var answer struct {
		Data []clockAnswer `json:"data"`
	}
	err := v.get(clocksAPI+query("limit", listedClocks), &answer)
	return answer.Data, err
}

// clocks lists test clocks, and makes them.
func (v *visit) clocks() error {
	if !v.sandbox() {
		return v.show(&page{Narrow: true, Text: v.t("clocks.live")}, v.t("clocks"))
	}
	all, err := v.readClocks()
	if err != nil {
		return err
	}
	t := &sheetTable{
		Label: v.t("clocks"), Empty: v.t("clocks.none"), Columns: []string{v.t("clocks.name"), v.t("clocks.time"), v.t("charges.state"), v.t("clock")},
	}
	for _, c := range all {
		t.Rows = append(t.Rows, []cell{
			plain(orNone(c.Name)), plain(v.seconds(c.FrozenTime)), v.clockState(c), {Text: c.ID, Code: true, Href: "/test-clocks/" + c.ID},
		})
	}
	add := form{
		Action: "/test-clocks", Title: v.t("clocks.new"), Text: v.t("clocks.text"), Button: v.t("clocks.make"), Hidden: v.once(),
		Fields: []field{v.timeField(v.Clock()), v.text("name", "clocks.name", 300)},
	}
	docs := []link{{Href: "/docs/merchant/test-clocks", Text: v.t("docs")}}
	return v.show(&page{Parts: []part{{Table: t}, {Forms: []form{add}}, {Links: docs}}}, v.t("clocks"))
}

// seconds shows a time of a clock.
func (v *visit) seconds(at int64) string {
	return v.translator().Moment(time.Unix(at, 0), v.Clock())
}

func (v *visit) clockState(c clockAnswer) cell {
	return cell{Text: v.t("clock." + c.Status), Good: c.Status == "ready", Warn: c.Status == "internal_failure"}
}

// shownTime is how a browser's field of a time writes one.
const shownTime = "2006-01-02T15:04"

// timeField asks for a time in UTC.
func (v *visit) timeField(is time.Time) field {
	return needed(field{Name: "time", Label: v.t("clocks.time_utc"), Type: "datetime-local", Value: v.filled("time", is.UTC().Format(shownTime))})
}

// wantedTime is the time that a form names, as the API takes it: that of a button, or
// that of the field. What is no time stays as it is, for the API to refuse.
func (v *visit) wantedTime() string {
	if fixed := v.form("frozen_time"); fixed != "" {
		return fixed
	}
	text := v.form("time")
	for _, layout := range []string{shownTime, shownTime + ":05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return strconv.FormatInt(at.Unix(), 10)
		}
	}
	return text
}

// makeClock makes a clock and shows it.
func (v *visit) makeClock() error {
	inputs := url.Values{"frozen_time": {v.wantedTime()}}
	if name := v.form("name"); name != "" {
		inputs.Set("name", name)
	}
	var made clockAnswer
	if err := v.callClocks(http.MethodPost, "", inputs, &made); err != nil {
		return err
	}
	return v.redirect("/test-clocks/" + made.ID)
}

// clock shows a test clock and the charges that are bound to it.
func (v *visit) clock() error {
	if !v.sandbox() {
		return v.clocks()
	}
	var c clockAnswer
	if err := v.get(clocksAPI+"/"+v.id(), &c); err != nil {
		return err
	}
	bound := url.Values{"limit": {"50"}, "test_clock": {c.ID}}
	if cursor := v.r.URL.Query().Get("cursor"); cursor != "" {
		bound.Set("cursor", cursor)
	}
	var answer foundCharges
	if err := v.get("/api/charges?"+bound.Encode(), &answer); err != nil {
		return err
	}
	here := "/test-clocks/" + c.ID
	charges := part{Title: v.t("clocks.charges"), Table: v.chargeTable(answer.Charges)}
	if answer.Next != "" {
		charges.Next = &link{Href: here + query("cursor", answer.Next), Text: v.t("next")}
	}
	facts := part{Facts: v.clockFacts(c)}
	if c.Status != "internal_failure" {
		facts.Buttons = []link{{Href: "/ask" + query("test_clock", c.ID), Text: v.t("clocks.ask")}}
	}
	if c.Status == "advancing" && v.problem == "" {
		v.refresh = refreshClock
	}
	return v.show(&page{Parts: append([]part{facts, charges}, v.clockParts(here, c)...)}, v.t("clock"))
}

func (v *visit) clockFacts(c clockAnswer) []fact {
	facts := []fact{
		named(v.t("clocks.time"), plain(v.seconds(c.FrozenTime))), named(v.t("charges.state"), v.clockState(c)),
		named(v.t("clocks.name"), plain(orNone(c.Name))), named(v.t("clocks.ends"), plain(v.seconds(c.DeletesAfter))), named(v.t("clock"), code(c.ID)),
	}
	if to := c.Details.Advancing; to != nil {
		facts = append(facts, named(v.t("clocks.goes"), plain(v.seconds(to.Target))))
	}
	return facts
}

// clockParts advance a clock and delete it. A button names the time that it leads to,
// so that a second press leads no further.
func (v *visit) clockParts(here string, c clockAnswer) []part {
	var all []part
	if c.Status == "ready" {
		at := time.Unix(c.FrozenTime, 0)
		by := func(span time.Duration, text string) form {
			target := sheet.Hidden{Name: "frozen_time", Value: strconv.FormatInt(at.Add(span).Unix(), 10)}
			return form{Action: here + "/advance", Button: v.t(text), Small: true, Hidden: append(v.once(), target)}
		}
		hour, day := by(time.Hour, "clocks.hour"), by(24*time.Hour, "clocks.day")
		hour.First = true
		all = append(all, part{Title: v.t("clocks.advance"), Text: v.t("clocks.advance_text"), Row: true, Forms: []form{hour, day}}, part{Forms: []form{{
			Action: here + "/advance", Button: v.t("clocks.to"), Lesser: true, Hidden: v.once(), Fields: []field{v.timeField(at.Add(2 * time.Hour))},
		}}})
	}
	return append(all, part{Forms: []form{{
		Action: here + "/delete", Title: v.t("clocks.delete"), Text: v.t("clocks.delete_text"), Button: v.t("clocks.delete"), Lesser: true,
	}}})
}

// advanceClock moves a clock.
func (v *visit) advanceClock() error {
	if err := v.callClocks(http.MethodPost, "/"+v.id()+"/advance", url.Values{"frozen_time": {v.wantedTime()}}, &clockAnswer{}); err != nil {
		return err
	}
	return v.done("/test-clocks/" + v.id())
}

// deleteClock deletes a clock.
func (v *visit) deleteClock() error {
	if err := v.callClocks(http.MethodDelete, "/"+v.id(), nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/test-clocks")
}

// clockChoice is the field for the clock of a charge; none where there is no clock.
func (v *visit) clockChoice() ([]field, error) {
	if !v.sandbox() || !v.may(clockOperations) {
		return nil, nil
	}
	all, err := v.readClocks()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	chosen := v.filled("test_clock", v.r.URL.Query().Get("test_clock"))
	f := field{Name: "test_clock", Label: v.t("clock"), Type: "select", Hint: v.t("clocks.choice_hint"), Options: []sheet.Option{{Text: v.t("clocks.real")}}}
	for _, c := range all {
		text := v.seconds(c.FrozenTime)
		if c.Name != nil {
			text = *c.Name + " · " + text
		}
		f.Options = append(f.Options, sheet.Option{Value: c.ID, Text: text, Chosen: c.ID == chosen})
	}
	return []field{f}, nil
}
