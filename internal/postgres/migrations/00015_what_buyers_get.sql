-- +goose Up

ALTER TABLE merchants ADD COLUMN names_in_links boolean NOT NULL DEFAULT false;
ALTER TABLE merchants ADD COLUMN mails_receipts boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN merchants.names_in_links IS 'whether monero: links of payment pages name the shop and what is paid for, which buyers'' wallets then show and keep';
COMMENT ON COLUMN merchants.mails_receipts IS 'whether buyers who give an email address on a payment page get a receipt';

CREATE TABLE receipts (
    charge_id text PRIMARY KEY,
    language  text NOT NULL,
    sent_at   timestamptz
);
COMMENT ON TABLE receipts IS 'receipts that buyers get by mail: the address is in the metadata of the charge; a row goes with its charge';
COMMENT ON COLUMN receipts.charge_id IS 'without a reference, so that the migration locks no charges';
COMMENT ON COLUMN receipts.language IS 'of the page on which the buyer gave the address';
COMMENT ON COLUMN receipts.sent_at IS 'when the mail server took the mail; null: not yet';
