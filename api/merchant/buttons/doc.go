// Package buttons is the room of payment buttons. Anyone may create a charge for a merchant with
// one, without a credential, as JSON or with a plain form. So texts lose their markup, and
// charges are counted by client.
package buttons
