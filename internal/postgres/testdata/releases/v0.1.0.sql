--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: piconero; Type: DOMAIN; Schema: public; Owner: -
--

CREATE DOMAIN public.piconero AS numeric(20,0)
	CONSTRAINT piconero_check CHECK (((VALUE >= (0)::numeric) AND (VALUE <= '18446744073709551615'::numeric)));


--
-- Name: DOMAIN piconero; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON DOMAIN public.piconero IS 'an amount of Monero in atomic units: 1e-12 XMR';


--
-- Name: count_pending_charge(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_pending_charge() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    merchant text := CASE WHEN TG_OP = 'DELETE' THEN OLD.merchant_id ELSE NEW.merchant_id END;
    change integer := (TG_OP <> 'DELETE' AND NEW.status = 'pending')::integer - (TG_OP <> 'INSERT' AND OLD.status = 'pending')::integer;
BEGIN
    IF change <> 0 THEN
        INSERT INTO pending_charges AS p (merchant_id, shard, charges) VALUES (merchant, floor(random() * 16)::smallint, change)
        ON CONFLICT (merchant_id, shard) DO UPDATE SET charges = p.charges + excluded.charges;
    END IF;
    RETURN NULL;
END $$;


--
-- Name: database_instance(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.database_instance() RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || (SELECT d.oid::text FROM pg_database d WHERE d.datname = current_database())
        || '/' || 'witnesses'::regclass::oid::text || '/' || pg_relation_filenode('witnesses'::regclass)::text
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account_notices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.account_notices (
    id text NOT NULL,
    merchant_id text NOT NULL,
    kind text NOT NULL,
    email_sealed bytea,
    hold_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT account_notices_check CHECK (((sent_at IS NULL) = (email_sealed IS NOT NULL))),
    CONSTRAINT account_notices_id_check CHECK ((id ~ '^an_[0-9a-f]{24}$'::text))
);


--
-- Name: TABLE account_notices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.account_notices IS 'mails that tell a merchant what was changed of the account';


--
-- Name: COLUMN account_notices.kind; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.account_notices.kind IS 'what was changed, see internal/notice';


--
-- Name: COLUMN account_notices.email_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.account_notices.email_sealed IS 'where the mail goes, until it is sent: AEAD, associated data account_notices:email:<id>';


--
-- Name: COLUMN account_notices.hold_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.account_notices.hold_until IS 'before when no sweep begins because of the change; null: it holds none';


--
-- Name: COLUMN account_notices.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.account_notices.sent_at IS 'when the mail server took the mail; null: not yet';


--
-- Name: acknowledged_sends; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.acknowledged_sends (
    wallet_id text NOT NULL,
    tx_hash text NOT NULL,
    kind text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    acknowledged_at timestamp with time zone NOT NULL,
    CONSTRAINT acknowledged_sends_kind_check CHECK ((kind = ANY (ARRAY['taken_over'::text, 'accepted'::text])))
);


--
-- Name: TABLE acknowledged_sends; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.acknowledged_sends IS 'what a wallet sent and no row of its own tells: an operator took it over or accepts it';


--
-- Name: COLUMN acknowledged_sends.wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.acknowledged_sends.wallet_id IS 'of wallets or of exchange_wallets';


--
-- Name: COLUMN acknowledged_sends.kind; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.acknowledged_sends.kind IS 'taken_over: rows were written for it; accepted: an operator says that it is in order';


--
-- Name: COLUMN acknowledged_sends.note; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.acknowledged_sends.note IS 'what the journal says that it paid';


--
-- Name: actions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.actions (
    id bigint NOT NULL,
    merchant_id text NOT NULL,
    person_id text NOT NULL,
    role text NOT NULL,
    operation text NOT NULL,
    path text NOT NULL,
    status integer DEFAULT 0 NOT NULL,
    at timestamp with time zone NOT NULL
);


--
-- Name: TABLE actions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.actions IS 'what people changed of a shop with a session, refused attempts too: written before it is done, and without a reference, so that writing waits for nobody';


--
-- Name: COLUMN actions.person_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.actions.person_id IS 'the account of the person; the merchant''s own for the merchant';


--
-- Name: COLUMN actions.role; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.actions.role IS 'of the person at that time; empty for the merchant';


--
-- Name: COLUMN actions.operation; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.actions.operation IS 'operationId of the document';


--
-- Name: COLUMN actions.path; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.actions.path IS 'path of the request, which names what was changed';


--
-- Name: COLUMN actions.status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.actions.status IS 'HTTP status of the answer; 0: the process ended before it, or it is not there yet';


--
-- Name: actions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.actions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.actions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: addresses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.addresses (
    wallet_id text NOT NULL,
    subaddress_index integer NOT NULL,
    address text NOT NULL,
    charge_id text,
    CONSTRAINT addresses_subaddress_index_check CHECK ((subaddress_index > 0))
);


--
-- Name: TABLE addresses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.addresses IS 'the pool of subaddresses; a row exists once both wallet processes have the address, have stored it, and our own derivation agrees with them';


--
-- Name: COLUMN addresses.subaddress_index; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.addresses.subaddress_index IS 'minor index, in account 0';


--
-- Name: COLUMN addresses.charge_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.addresses.charge_id IS 'the charge it was given to, for ever; null: free';


--
-- Name: alerts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alerts (
    id bigint NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    resolved_at timestamp with time zone,
    note text
);


--
-- Name: TABLE alerts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.alerts IS 'what an operator must look at: open until resolved_at is set';


--
-- Name: COLUMN alerts.kind; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.alerts.kind IS 'name of internal/alert';


--
-- Name: COLUMN alerts.subject; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.alerts.subject IS 'what it is about, mostly an identifier; internal/alert says which';


--
-- Name: COLUMN alerts.detail; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.alerts.detail IS 'a sentence for the operator';


--
-- Name: COLUMN alerts.resolved_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.alerts.resolved_at IS 'null: open';


--
-- Name: COLUMN alerts.note; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.alerts.note IS 'what the operator wrote who closed it; null: it is open, or closed by itself';


--
-- Name: alerts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alerts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alerts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    merchant_id text NOT NULL,
    mode text NOT NULL,
    key_hash bytea NOT NULL,
    prefix text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text])))
);


--
-- Name: TABLE api_keys; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.api_keys IS 'keys of the merchants'' API, one for each merchant and mode';


--
-- Name: COLUMN api_keys.key_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.api_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';


--
-- Name: COLUMN api_keys.prefix; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.api_keys.prefix IS 'first characters of the key, to be shown';


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL
);


--
-- Name: TABLE audit; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.audit IS 'what operators changed: written with the change, never removed';


--
-- Name: COLUMN audit.actor; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.audit.actor IS 'merchant_id of an admin, or of a merchant who reset the password; or cli: and the user of the machine';


--
-- Name: COLUMN audit.action; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.audit.action IS 'what was done';


--
-- Name: COLUMN audit.subject; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.audit.subject IS 'identifier of what was changed';


--
-- Name: COLUMN audit.detail; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.audit.detail IS 'from what to what';


--
-- Name: audit_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: backup_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.backup_codes (
    merchant_id text NOT NULL,
    code_hash bytea NOT NULL
);


--
-- Name: TABLE backup_codes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.backup_codes IS 'codes that stand in for a TOTP code, each once: a row is a code not yet used';


--
-- Name: COLUMN backup_codes.code_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.backup_codes.code_hash IS 'SHA-256 of merchant and code, which carries 80 random bits';


--
-- Name: business_notices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.business_notices (
    id bigint NOT NULL,
    merchant_id text NOT NULL,
    kind text NOT NULL,
    resource_id text NOT NULL,
    part integer DEFAULT 0 NOT NULL,
    amount public.piconero,
    frequency text NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    mail_id text,
    CONSTRAINT business_notices_frequency_check CHECK ((frequency = ANY (ARRAY['at_once'::text, 'daily'::text]))),
    CONSTRAINT business_notices_kind_check CHECK ((kind = ANY (ARRAY['charge_paid'::text, 'underpaid'::text, 'late'::text, 'failed_delivery'::text, 'payout_sent'::text, 'new_login'::text])))
);


--
-- Name: TABLE business_notices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.business_notices IS 'what merchants chose to be mailed about: a row is written with what it tells of, in one transaction';


--
-- Name: COLUMN business_notices.resource_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.business_notices.resource_id IS 'what it tells of: a charge, a payout, a delivery, or a login';


--
-- Name: COLUMN business_notices.part; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.business_notices.part IS 'the round of the delivery that was given up; else 0';


--
-- Name: COLUMN business_notices.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.business_notices.amount IS 'piconero; null where it tells of no money';


--
-- Name: COLUMN business_notices.frequency; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.business_notices.frequency IS 'what the merchant had chosen when it happened';


--
-- Name: COLUMN business_notices.mail_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.business_notices.mail_id IS 'the mail that tells it; null: it waits for one';


--
-- Name: business_notices_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.business_notices ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.business_notices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: chain_checkpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chain_checkpoints (
    wallet_id text NOT NULL,
    height bigint NOT NULL,
    hash text NOT NULL,
    CONSTRAINT chain_checkpoints_height_check CHECK ((height > 0))
);


--
-- Name: TABLE chain_checkpoints; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.chain_checkpoints IS 'hashes of deep blocks, to find where a reorganization began that went below settled_height; of wallets and of exchange_wallets, written by their watchers';


--
-- Name: COLUMN chain_checkpoints.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.chain_checkpoints.height IS 'number of blocks of the chain';


--
-- Name: COLUMN chain_checkpoints.hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.chain_checkpoints.hash IS 'of block height - 1';


--
-- Name: charge_signal_version; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.charge_signal_version
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: charge_signals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.charge_signals (
    charge_id text NOT NULL,
    wallet_id text NOT NULL,
    version bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: TABLE charge_signals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.charge_signals IS 'charges to be notified that their facts changed: written with the facts, removed once Temporal has the signal';


--
-- Name: COLUMN charge_signals.version; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charge_signals.version IS 'of charge_signal_version, written anew with each change: a signal removes only the version it told of';


--
-- Name: COLUMN charge_signals.attempts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charge_signals.attempts IS 'signals that failed since the row was written';


--
-- Name: COLUMN charge_signals.next_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charge_signals.next_at IS 'when it is signalled next';


--
-- Name: COLUMN charge_signals.since; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charge_signals.since IS 'when the row was written';


--
-- Name: charges; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.charges (
    id text NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    source text NOT NULL,
    payment_request_id text,
    wallet_id text NOT NULL,
    subaddress_index integer NOT NULL,
    subaddress text NOT NULL,
    amount numeric NOT NULL,
    currency text NOT NULL,
    amount_piconero public.piconero NOT NULL,
    confirm_from_piconero public.piconero NOT NULL,
    xmr_rate numeric,
    rate_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    confirmations_required integer NOT NULL,
    metadata text DEFAULT '{}'::text NOT NULL,
    order_id text,
    description text,
    return_url text,
    fields text[] DEFAULT '{}'::text[] NOT NULL,
    link_active boolean DEFAULT true NOT NULL,
    link_expires_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    extended boolean DEFAULT false NOT NULL,
    seen_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    late boolean DEFAULT false NOT NULL,
    unbacked boolean DEFAULT false NOT NULL,
    payout_id text,
    underpaid_accepted_at timestamp with time zone,
    has_buyer_info boolean DEFAULT false NOT NULL,
    created_height bigint,
    client_code bytea,
    crowd_code bytea,
    checkout text,
    counts_until timestamp with time zone,
    mark text,
    invoice_status text DEFAULT 'New'::text NOT NULL,
    test_clock_id text,
    CONSTRAINT charges_amount_check CHECK (((amount >= 0.01) AND (amount <= (10000000)::numeric))),
    CONSTRAINT charges_amount_piconero_check CHECK (((amount_piconero)::numeric > (0)::numeric)),
    CONSTRAINT charges_check CHECK (((status = 'confirmed'::text) = (confirmed_at IS NOT NULL))),
    CONSTRAINT charges_check1 CHECK (((currency = 'XMR'::text) = (xmr_rate IS NULL))),
    CONSTRAINT charges_check2 CHECK (((confirm_from_piconero)::numeric <= (amount_piconero)::numeric)),
    CONSTRAINT charges_check3 CHECK (((NOT late) OR (status = 'confirmed'::text))),
    CONSTRAINT charges_check4 CHECK (((mark IS NULL) OR (status =
CASE mark
    WHEN 'settled'::text THEN 'confirmed'::text
    ELSE 'expired'::text
END))),
    CONSTRAINT charges_check5 CHECK (((test_clock_id IS NULL) OR (mode = 'sandbox'::text))),
    CONSTRAINT charges_confirm_from_piconero_check CHECK (((confirm_from_piconero)::numeric > (0)::numeric)),
    CONSTRAINT charges_confirmations_required_check CHECK (((confirmations_required >= 1) AND (confirmations_required <= 1000))),
    CONSTRAINT charges_currency_check CHECK ((currency = ANY (ARRAY['USD'::text, 'EUR'::text, 'XMR'::text]))),
    CONSTRAINT charges_id_check CHECK ((id ~ '^ch_[0-9a-f]{24}$'::text)),
    CONSTRAINT charges_invoice_status_check CHECK ((invoice_status = ANY (ARRAY['New'::text, 'Processing'::text, 'Settled'::text, 'Expired'::text, 'Invalid'::text]))),
    CONSTRAINT charges_mark_check CHECK ((mark = ANY (ARRAY['settled'::text, 'invalid'::text]))),
    CONSTRAINT charges_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT charges_source_check CHECK ((source = ANY (ARRAY['api'::text, 'button'::text, 'payment_request'::text]))),
    CONSTRAINT charges_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'expired'::text]))),
    CONSTRAINT charges_xmr_rate_check CHECK ((xmr_rate > (0)::numeric))
);


--
-- Name: TABLE charges; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.charges IS 'what a buyer is asked to pay, at a subaddress of its own';


--
-- Name: COLUMN charges.source; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.source IS 'how it was made: with a key, from a button, or from a payment request';


--
-- Name: COLUMN charges.payment_request_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.payment_request_id IS 'the request it was made from; null: from none';


--
-- Name: COLUMN charges.subaddress_index; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.subaddress_index IS 'minor index, in account 0';


--
-- Name: COLUMN charges.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.amount IS 'in the natural unit of currency';


--
-- Name: COLUMN charges.currency; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.currency IS 'of amount; USD and EUR are converted at creation';


--
-- Name: COLUMN charges.amount_piconero; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.amount_piconero IS 'what is asked for, in piconero';


--
-- Name: COLUMN charges.confirm_from_piconero; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.confirm_from_piconero IS 'piconero that confirm the charge: amount_piconero less the tolerance';


--
-- Name: COLUMN charges.xmr_rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.xmr_rate IS 'currency per XMR at which amount was converted; null for XMR';


--
-- Name: COLUMN charges.rate_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.rate_at IS 'when xmr_rate was quoted; null for XMR';


--
-- Name: COLUMN charges.status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.status IS 'expired: ended without the money in time; it may still be confirmed late';


--
-- Name: COLUMN charges.metadata; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.metadata IS 'JSON as the merchant sent it, digit for digit';


--
-- Name: COLUMN charges.order_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.order_id IS 'the merchant''s own identifier; null: none';


--
-- Name: COLUMN charges.description; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.description IS 'shown to the buyer; null: none';


--
-- Name: COLUMN charges.return_url; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.return_url IS 'where the page sends the buyer afterwards; null: nowhere';


--
-- Name: COLUMN charges.fields; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.fields IS 'names of what the page asks the buyer for';


--
-- Name: COLUMN charges.link_active; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.link_active IS 'whether the page can be opened; the merchant turns it off and on';


--
-- Name: COLUMN charges.link_expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.link_expires_at IS 'until when the page can be opened; null: for ever';


--
-- Name: COLUMN charges.expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.expires_at IS 'payment timeout; moved once when the full amount is seen in time';


--
-- Name: COLUMN charges.extended; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.extended IS 'expires_at was moved';


--
-- Name: COLUMN charges.seen_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.seen_at IS 'when charge.pending was emitted; null: not yet';


--
-- Name: COLUMN charges.confirmed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.confirmed_at IS 'null unless status is confirmed';


--
-- Name: COLUMN charges.late; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.late IS 'confirmed after it had expired';


--
-- Name: COLUMN charges.unbacked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.unbacked IS 'confirmed, but its money left the chain again: not swept';


--
-- Name: COLUMN charges.payout_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.payout_id IS 'the first payout that takes a payment of it; null: none does';


--
-- Name: COLUMN charges.underpaid_accepted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.underpaid_accepted_at IS 'when the merchant took less than was asked for; confirm_from_piconero is then what had come; null: never';


--
-- Name: COLUMN charges.has_buyer_info; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.has_buyer_info IS 'metadata may hold buyers'' fields: set when it is written, cleared when they are removed';


--
-- Name: COLUMN charges.created_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.created_height IS 'number of blocks of the chain when it was made, as far as the wallet was watched; money of before is not its own; null: unknown';


--
-- Name: COLUMN charges.client_code; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.client_code IS 'who made it: a keyed code of address or circuit; null for charges made with a key, and once the charge is not pending';


--
-- Name: COLUMN charges.crowd_code; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.crowd_code IS 'the same of all who came through Tor together';


--
-- Name: COLUMN charges.checkout; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.checkout IS 'options of an invoice of the Greenfield surface, as JSON; null: not made there';


--
-- Name: COLUMN charges.counts_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.counts_until IS 'a payment that is first seen later does not confirm the charge by itself; null: all do';


--
-- Name: COLUMN charges.mark; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.mark IS 'what the merchant said of it by hand; null: nothing';


--
-- Name: COLUMN charges.invoice_status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.invoice_status IS 'status as an invoice of the Greenfield surface, written with what it follows from; lists are filtered by it';


--
-- Name: COLUMN charges.test_clock_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.charges.test_clock_id IS 'the test clock whose time it lives by; null: real time';


--
-- Name: commissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.commissions (
    trade_id text NOT NULL,
    key_id text NOT NULL,
    ticker text NOT NULL,
    network text NOT NULL,
    amount numeric NOT NULL,
    credited_at timestamp with time zone NOT NULL,
    CONSTRAINT commissions_amount_check CHECK ((amount > (0)::numeric))
);


--
-- Name: TABLE commissions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.commissions IS 'what is owed to keys for their markup: written with the completion of the trade, and kept when the trade is removed';


--
-- Name: COLUMN commissions.key_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.commissions.key_id IS 'who earned it';


--
-- Name: COLUMN commissions.network; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.commissions.network IS 'with the ticker it names a coin of the register';


--
-- Name: COLUMN commissions.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.commissions.amount IS 'in whole coins';


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    id text NOT NULL,
    webhook_id text NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    event_id bigint NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    http_status integer,
    attempts integer DEFAULT 0 NOT NULL,
    round_from integer DEFAULT 0 NOT NULL,
    rounds integer DEFAULT 1 NOT NULL,
    error text,
    created_at timestamp with time zone NOT NULL,
    last_attempt_at timestamp with time zone,
    next_attempt_at timestamp with time zone,
    delivered_at timestamp with time zone,
    CONSTRAINT deliveries_check CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
    CONSTRAINT deliveries_id_check CHECK ((id ~ '^whd_'::text)),
    CONSTRAINT deliveries_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'dropped'::text])))
);


--
-- Name: TABLE deliveries; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.deliveries IS 'one event to one webhook, and where its attempts stand';


--
-- Name: COLUMN deliveries.status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.status IS 'dropped: its webhook was deleted, or points where nothing may be sent';


--
-- Name: COLUMN deliveries.http_status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.http_status IS 'of the last answer; null: there was none';


--
-- Name: COLUMN deliveries.attempts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.attempts IS 'made and recorded';


--
-- Name: COLUMN deliveries.round_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.round_from IS 'how many attempts there were before it was last sent again; 0: it was not. Pauses and the number of attempts count from there';


--
-- Name: COLUMN deliveries.rounds; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.rounds IS 'how often it was sent: 1 until it is sent again';


--
-- Name: COLUMN deliveries.error; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.error IS 'why the last attempt failed; null: it did not';


--
-- Name: COLUMN deliveries.last_attempt_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.last_attempt_at IS 'null: none yet';


--
-- Name: COLUMN deliveries.next_attempt_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.next_attempt_at IS 'when it is attempted next; null once it has ended';


--
-- Name: COLUMN deliveries.delivered_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deliveries.delivered_at IS 'null unless status is delivered';


--
-- Name: email_verifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.email_verifications (
    id text NOT NULL,
    merchant_id text NOT NULL,
    email_sealed bytea NOT NULL,
    token_hash bytea NOT NULL,
    token_sealed bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT email_verifications_check CHECK (((sent_at IS NULL) = (token_sealed IS NOT NULL))),
    CONSTRAINT email_verifications_id_check CHECK ((id ~ '^em_[0-9a-f]{24}$'::text))
);


--
-- Name: TABLE email_verifications; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.email_verifications IS 'addresses that wait to be confirmed by mail, one for each merchant: a newer one replaces it; the row goes when it is used';


--
-- Name: COLUMN email_verifications.email_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.email_verifications.email_sealed IS 'AEAD, associated data email_verifications:email:<id>';


--
-- Name: COLUMN email_verifications.token_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.email_verifications.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';


--
-- Name: COLUMN email_verifications.token_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.email_verifications.token_sealed IS 'the token until its mail is sent: AEAD, associated data email_verifications:token:<id>';


--
-- Name: COLUMN email_verifications.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.email_verifications.sent_at IS 'when the mail server took the mail; null: not yet';


--
-- Name: event_feeds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event_feeds (
    merchant_id text NOT NULL,
    mode text NOT NULL,
    last bigint NOT NULL,
    CONSTRAINT event_feeds_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text])))
);


--
-- Name: TABLE event_feeds; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.event_feeds IS 'the feeds that were read; its row is held while events get their places';


--
-- Name: COLUMN event_feeds.last; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.event_feeds.last IS 'the highest place that was given; it stays when retention removes events';


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    id bigint NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    type text NOT NULL,
    resource_id text NOT NULL,
    part text DEFAULT ''::text NOT NULL,
    payload text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    has_buyer_info boolean DEFAULT false NOT NULL,
    place bigint,
    CONSTRAINT events_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT events_place_check CHECK ((place > 0))
);


--
-- Name: TABLE events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.events IS 'what a merchant is told: one row for each thing that happened to a charge or payout, and for each ping';


--
-- Name: COLUMN events.type; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.events.type IS 'name of the contract, such as charge.confirmed';


--
-- Name: COLUMN events.resource_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.events.resource_id IS 'what it tells of: a charge, a payout, or the delivery of a ping';


--
-- Name: COLUMN events.part; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.events.part IS 'the payment of a charge that it tells of, by transaction; empty where it tells of the whole';


--
-- Name: COLUMN events.payload; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.events.payload IS 'the exact body bytes that every delivery of the event sends; in BTCPay''s shape without the fields of the delivery';


--
-- Name: COLUMN events.has_buyer_info; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.events.has_buyer_info IS 'payload may hold buyers'' fields: set when it is written, cleared when they are removed';


--
-- Name: COLUMN events.place; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.events.place IS 'place in the feed of its merchant and mode, from 1 without a gap; null until the feed is read. The identity is no place: a lower one may be committed later';


--
-- Name: events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_addresses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_addresses (
    wallet_id text NOT NULL,
    address text NOT NULL,
    ref text NOT NULL,
    trade_id text,
    id bigint NOT NULL,
    number bigint NOT NULL
);


--
-- Name: TABLE exchange_addresses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.exchange_addresses IS 'deposit addresses, made ahead; a row exists once the wallet has the address for good';


--
-- Name: COLUMN exchange_addresses.ref; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_addresses.ref IS 'how the wallet names it';


--
-- Name: COLUMN exchange_addresses.trade_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_addresses.trade_id IS 'the trade it was given to, for ever; null: free';


--
-- Name: COLUMN exchange_addresses.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_addresses.id IS 'for the order of making alone';


--
-- Name: COLUMN exchange_addresses.number; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_addresses.number IS 'the last part of ref: subaddress index, or index of the key';


--
-- Name: exchange_addresses_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.exchange_addresses ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.exchange_addresses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_wallets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_wallets (
    id text NOT NULL,
    ticker text NOT NULL,
    network text NOT NULL,
    decimals integer NOT NULL,
    unlocked numeric DEFAULT 0 NOT NULL,
    total numeric DEFAULT 0 NOT NULL,
    network_fee numeric DEFAULT 0 NOT NULL,
    chain_height bigint DEFAULT 0 NOT NULL,
    top_hash text DEFAULT ''::text NOT NULL,
    balance_current_at timestamp with time zone,
    settled_height bigint DEFAULT 0 NOT NULL,
    settled_hash text DEFAULT ''::text NOT NULL,
    rescan boolean DEFAULT false NOT NULL,
    scanned_at timestamp with time zone,
    balance_at timestamp with time zone,
    safe_mode boolean DEFAULT false NOT NULL,
    CONSTRAINT exchange_wallets_decimals_check CHECK (((decimals >= 0) AND (decimals <= 18))),
    CONSTRAINT exchange_wallets_network_fee_check CHECK ((network_fee >= (0)::numeric)),
    CONSTRAINT exchange_wallets_total_check CHECK ((total >= (0)::numeric)),
    CONSTRAINT exchange_wallets_unlocked_check CHECK ((unlocked >= (0)::numeric))
)
WITH (fillfactor='50');


--
-- Name: TABLE exchange_wallets; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.exchange_wallets IS 'the exchange''s wallets, one for each coin, as their watchers last saw them; amounts are in whole coins';


--
-- Name: COLUMN exchange_wallets.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.id IS 'name of the wallet in the configuration';


--
-- Name: COLUMN exchange_wallets.network; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.network IS 'with the ticker it names a coin of the register';


--
-- Name: COLUMN exchange_wallets.decimals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.decimals IS 'digits after the point of the coin';


--
-- Name: COLUMN exchange_wallets.unlocked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.unlocked IS 'what can be spent now, without coins that are promised';


--
-- Name: COLUMN exchange_wallets.total; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.total IS 'unlocked, and what is unconfirmed, locked or promised';


--
-- Name: COLUMN exchange_wallets.network_fee; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.network_fee IS 'what an ordinary payment costs now in its coin, estimated on the high side';


--
-- Name: COLUMN exchange_wallets.chain_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.chain_height IS 'number of blocks of the chain';


--
-- Name: COLUMN exchange_wallets.top_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.top_hash IS 'hash of block chain_height - 1 when it was scanned; empty before the first scan';


--
-- Name: COLUMN exchange_wallets.balance_current_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.balance_current_at IS 'when unlocked and total were last known to be current; inventory that is older is not quoted; null: never';


--
-- Name: COLUMN exchange_wallets.settled_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.settled_height IS 'payments in blocks below it are final; scans begin there at the lowest';


--
-- Name: COLUMN exchange_wallets.settled_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.settled_hash IS 'hash of block settled_height - 1; empty when it is not known';


--
-- Name: COLUMN exchange_wallets.rescan; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.rescan IS 'the wallet file was older than the addresses that were made: it has to read the chain anew';


--
-- Name: COLUMN exchange_wallets.scanned_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.scanned_at IS 'when what it received was last looked for; null: never';


--
-- Name: COLUMN exchange_wallets.balance_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.balance_at IS 'when unlocked and total were asked for; they change with blocks, the pool and own payments only; null: never';


--
-- Name: COLUMN exchange_wallets.safe_mode; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.exchange_wallets.safe_mode IS 'copy of witnesses.safe_since that quotes go by';


--
-- Name: fee_tiers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fee_tiers (
    volume_from public.piconero NOT NULL,
    fee_rate numeric NOT NULL,
    CONSTRAINT fee_tiers_fee_rate_check CHECK (((fee_rate >= (0)::numeric) AND (fee_rate < (1)::numeric))),
    CONSTRAINT fee_tiers_volume_from_check CHECK (((volume_from)::numeric > (0)::numeric))
);


--
-- Name: TABLE fee_tiers; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.fee_tiers IS 'fee rates by volume: the highest tier that a merchant''s volume reaches is in force';


--
-- Name: COLUMN fee_tiers.volume_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.fee_tiers.volume_from IS 'piconero confirmed in the last 30 days, live wallet, from which the rate is in force';


--
-- Name: COLUMN fee_tiers.fee_rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.fee_tiers.fee_rate IS 'share of a payout kept by the operator: 0.005 is half a percent';


--
-- Name: goose_db_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);


--
-- Name: goose_db_version_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    scope text NOT NULL,
    key_hash bytea NOT NULL,
    query_hash bytea NOT NULL,
    trade_id text NOT NULL,
    response_sealed bytea,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE idempotency_keys; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.idempotency_keys IS 'what was answered to a key that came with the creation of a trade, for 24 hours';


--
-- Name: COLUMN idempotency_keys.scope; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.scope IS 'id of the API key, or empty for callers without one';


--
-- Name: COLUMN idempotency_keys.key_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.key_hash IS 'keyed code of the key';


--
-- Name: COLUMN idempotency_keys.query_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.query_hash IS 'keyed code of the decoded parameters in one order';


--
-- Name: COLUMN idempotency_keys.trade_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.trade_id IS 'the trade that the key is bound to before it is made';


--
-- Name: COLUMN idempotency_keys.response_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.response_sealed IS 'body as it was answered; AEAD, associated data idempotency_keys:response:<trade_id>; null: not answered yet';


--
-- Name: invites; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invites (
    id text NOT NULL,
    token_hash bytea NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    merchant_id text,
    CONSTRAINT invites_check CHECK (((used_at IS NULL) = (merchant_id IS NULL))),
    CONSTRAINT invites_id_check CHECK ((id ~ '^in_[0-9a-f]{24}$'::text))
);


--
-- Name: TABLE invites; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.invites IS 'who may open an account where that takes an invite';


--
-- Name: COLUMN invites.token_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invites.token_hash IS 'SHA-256 of the token, which carries 192 random bits';


--
-- Name: COLUMN invites.note; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invites.note IS 'what the operator wrote to it';


--
-- Name: COLUMN invites.used_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invites.used_at IS 'null: not used';


--
-- Name: COLUMN invites.merchant_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invites.merchant_id IS 'the account that was opened with it; null: not used';


--
-- Name: ledger; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ledger (
    charge_id text NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone NOT NULL,
    amount numeric NOT NULL,
    currency text NOT NULL,
    amount_piconero public.piconero NOT NULL,
    received_piconero public.piconero NOT NULL,
    order_id text,
    fiat_value numeric,
    fiat_currency text,
    fiat_rate numeric,
    CONSTRAINT ledger_amount_check CHECK (((amount >= 0.01) AND (amount <= (10000000)::numeric))),
    CONSTRAINT ledger_amount_piconero_check CHECK (((amount_piconero)::numeric > (0)::numeric)),
    CONSTRAINT ledger_charge_id_check CHECK ((charge_id ~ '^ch_[0-9a-f]{24}$'::text)),
    CONSTRAINT ledger_check CHECK ((((fiat_value IS NULL) = (fiat_currency IS NULL)) AND ((fiat_value IS NULL) = (fiat_rate IS NULL)))),
    CONSTRAINT ledger_currency_check CHECK ((currency = ANY (ARRAY['USD'::text, 'EUR'::text, 'XMR'::text]))),
    CONSTRAINT ledger_fiat_currency_check CHECK ((fiat_currency = ANY (ARRAY['USD'::text, 'EUR'::text]))),
    CONSTRAINT ledger_fiat_rate_check CHECK ((fiat_rate > (0)::numeric)),
    CONSTRAINT ledger_fiat_value_check CHECK ((fiat_value >= (0)::numeric)),
    CONSTRAINT ledger_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT ledger_received_piconero_check CHECK (((received_piconero)::numeric > (0)::numeric))
);


--
-- Name: TABLE ledger; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.ledger IS 'what reports are made of: one row for each confirmed charge, written with the confirmation and never removed; it holds nothing about the buyer';


--
-- Name: COLUMN ledger.created_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.created_at IS 'of the charge';


--
-- Name: COLUMN ledger.confirmed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.confirmed_at IS 'of the charge; when blocks first held money of it, if it was settled by hand; reports go by it';


--
-- Name: COLUMN ledger.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.amount IS 'in the natural unit of currency, as it was asked for';


--
-- Name: COLUMN ledger.amount_piconero; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.amount_piconero IS 'as it was asked for';


--
-- Name: COLUMN ledger.received_piconero; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.received_piconero IS 'piconero of the payments seen at confirmation; of all that blocks hold, if it was settled by hand';


--
-- Name: COLUMN ledger.order_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.order_id IS 'the merchant''s own identifier; null: none';


--
-- Name: COLUMN ledger.fiat_value; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.fiat_value IS 'received_piconero at fiat_rate; null when reporting was off or no price was usable';


--
-- Name: COLUMN ledger.fiat_currency; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.fiat_currency IS 'null as fiat_value is';


--
-- Name: COLUMN ledger.fiat_rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.ledger.fiat_rate IS 'fiat_currency per XMR at confirmation; null as fiat_value is';


--
-- Name: login_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.login_failures (
    email_index bytea NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone,
    last_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE login_failures; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.login_failures IS 'failed logins by the address tried, known or not, so that an unknown address locks like a known one';


--
-- Name: COLUMN login_failures.email_index; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_failures.email_index IS 'blind index of the address tried, or the digest of what a session guesses at';


--
-- Name: COLUMN login_failures.failures; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_failures.failures IS 'since the last success or the end of the last lock';


--
-- Name: COLUMN login_failures.locked_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_failures.locked_until IS 'null: not locked';


--
-- Name: COLUMN login_failures.last_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_failures.last_at IS 'when it last failed';


--
-- Name: login_ip_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.login_ip_failures (
    ip text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    window_start timestamp with time zone NOT NULL,
    blocked_until timestamp with time zone
);


--
-- Name: TABLE login_ip_failures; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.login_ip_failures IS 'failed logins by client address, to block one that tries many';


--
-- Name: COLUMN login_ip_failures.failures; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_ip_failures.failures IS 'since window_start';


--
-- Name: COLUMN login_ip_failures.blocked_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_ip_failures.blocked_until IS 'null: not blocked';


--
-- Name: login_networks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.login_networks (
    merchant_id text NOT NULL,
    network bytea NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT login_networks_network_check CHECK ((length(network) = 32))
);


--
-- Name: TABLE login_networks; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.login_networks IS 'networks that a merchant has logged in from';


--
-- Name: COLUMN login_networks.network; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_networks.network IS 'HMAC of merchant and network (/24 of IPv4, /48 of IPv6); no address is kept';


--
-- Name: COLUMN login_networks.seen_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.login_networks.seen_at IS 'the last login from there';


--
-- Name: merchants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merchants (
    id bigint NOT NULL,
    merchant_id text NOT NULL,
    email_sealed bytea,
    email_index bytea,
    business_name text NOT NULL,
    contact text DEFAULT ''::text NOT NULL,
    password_hash text NOT NULL,
    token_version integer DEFAULT 1 NOT NULL,
    live_wallet_id text NOT NULL,
    sandbox_wallet_id text NOT NULL,
    payout_address_sealed bytea,
    payout_address_masked text,
    fee_rate numeric,
    confirmations_required integer,
    tolerance_percent numeric,
    suspended_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    reporting_enabled boolean DEFAULT false NOT NULL,
    reporting_currency text DEFAULT 'USD'::text NOT NULL,
    email_verified_at timestamp with time zone,
    totp_secret_sealed bytea,
    totp_enabled_at timestamp with time zone,
    totp_used_steps bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    deleted_at timestamp with time zone,
    admin boolean DEFAULT false NOT NULL,
    auto_swap_enabled boolean DEFAULT false NOT NULL,
    auto_swap_ticker text,
    auto_swap_network text,
    auto_swap_address_sealed bytea,
    auto_swap_address_masked text,
    pending_charges_max integer,
    verify_by timestamp with time zone,
    payout_hold_until timestamp with time zone,
    refund_auto_up_to public.piconero DEFAULT 0 NOT NULL,
    refund_key_approves boolean DEFAULT false NOT NULL,
    CONSTRAINT merchants_check CHECK (((payout_address_sealed IS NULL) = (payout_address_masked IS NULL))),
    CONSTRAINT merchants_check1 CHECK (((totp_enabled_at IS NULL) OR (totp_secret_sealed IS NOT NULL))),
    CONSTRAINT merchants_check2 CHECK ((((deleted_at IS NULL) = (email_sealed IS NOT NULL)) AND ((deleted_at IS NULL) = (email_index IS NOT NULL)))),
    CONSTRAINT merchants_check3 CHECK ((num_nulls(auto_swap_ticker, auto_swap_network, auto_swap_address_sealed, auto_swap_address_masked) = ANY (ARRAY[0, 4]))),
    CONSTRAINT merchants_check4 CHECK (((NOT auto_swap_enabled) OR ((auto_swap_ticker IS NOT NULL) AND (payout_address_sealed IS NOT NULL)))),
    CONSTRAINT merchants_confirmations_required_check CHECK (((confirmations_required >= 1) AND (confirmations_required <= 1000))),
    CONSTRAINT merchants_fee_rate_check CHECK (((fee_rate >= (0)::numeric) AND (fee_rate < (1)::numeric))),
    CONSTRAINT merchants_merchant_id_check CHECK ((merchant_id ~ '^[0-9a-f]{32}$'::text)),
    CONSTRAINT merchants_pending_charges_max_check CHECK (((pending_charges_max >= 1) AND (pending_charges_max <= 10000000))),
    CONSTRAINT merchants_reporting_currency_check CHECK ((reporting_currency = ANY (ARRAY['USD'::text, 'EUR'::text]))),
    CONSTRAINT merchants_tolerance_percent_check CHECK (((tolerance_percent >= (0)::numeric) AND (tolerance_percent <= (100)::numeric)))
);


--
-- Name: TABLE merchants; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.merchants IS 'accounts';


--
-- Name: COLUMN merchants.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.id IS 'for the order of creation alone; everything refers to merchant_id';


--
-- Name: COLUMN merchants.email_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.email_sealed IS 'AEAD, associated data merchants:email:<merchant_id>; null once the account is deleted';


--
-- Name: COLUMN merchants.email_index; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.email_index IS 'HMAC of the normalised address, for lookup only; null once the account is deleted';


--
-- Name: COLUMN merchants.contact; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.contact IS 'how buyers reach the merchant, as the merchant wrote it; empty: not given';


--
-- Name: COLUMN merchants.password_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.password_hash IS 'Argon2id';


--
-- Name: COLUMN merchants.token_version; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.token_version IS 'tokens of another version are refused';


--
-- Name: COLUMN merchants.live_wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.live_wallet_id IS 'the wallet of its charges in live mode';


--
-- Name: COLUMN merchants.sandbox_wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.sandbox_wallet_id IS 'the wallet of its charges in sandbox mode';


--
-- Name: COLUMN merchants.payout_address_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.payout_address_sealed IS 'where sweeps go; AEAD, associated data merchants:payout_address:<merchant_id>; null: not given yet, nothing is swept';


--
-- Name: COLUMN merchants.payout_address_masked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.payout_address_masked IS 'its ends, to be shown';


--
-- Name: COLUMN merchants.fee_rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.fee_rate IS 'own share of a payout kept by the operator: 0.005 is half a percent; null: the volume tiers and the default';


--
-- Name: COLUMN merchants.confirmations_required; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.confirmations_required IS 'own number for every amount; null: the configured steps';


--
-- Name: COLUMN merchants.tolerance_percent; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.tolerance_percent IS 'own tolerance, in percent of the amount; null: the configured one';


--
-- Name: COLUMN merchants.suspended_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.suspended_at IS 'since when an operator shuts the merchant out; open charges go on to their end; null: not suspended';


--
-- Name: COLUMN merchants.reporting_enabled; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.reporting_enabled IS 'whether confirmed charges are valued in reporting_currency';


--
-- Name: COLUMN merchants.email_verified_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.email_verified_at IS 'when the owner of the address confirmed it; null for an address that nobody confirmed';


--
-- Name: COLUMN merchants.totp_secret_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.totp_secret_sealed IS 'AEAD, associated data merchants:totp_secret:<merchant_id>';


--
-- Name: COLUMN merchants.totp_enabled_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.totp_enabled_at IS 'null while the enrolment waits for its first code';


--
-- Name: COLUMN merchants.totp_used_steps; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.totp_used_steps IS 'time steps of 30 seconds whose code was used; those that no code is accepted for any more are dropped';


--
-- Name: COLUMN merchants.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.deleted_at IS 'the account is gone; what the books refer to stays';


--
-- Name: COLUMN merchants.admin; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.admin IS 'may use the operators'' routes; set by the command line only';


--
-- Name: COLUMN merchants.auto_swap_enabled; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.auto_swap_enabled IS 'whether sweeps pay a swap instead of the payout address, which then gets refunds';


--
-- Name: COLUMN merchants.auto_swap_ticker; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.auto_swap_ticker IS 'the coin that sweeps are swapped to; null with the three columns that follow: none is set';


--
-- Name: COLUMN merchants.auto_swap_network; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.auto_swap_network IS 'with the ticker it names a coin of the register: usdt on ERC20 and on TRC20 are two';


--
-- Name: COLUMN merchants.auto_swap_address_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.auto_swap_address_sealed IS 'AEAD, associated data merchants:auto_swap_address:<merchant_id>';


--
-- Name: COLUMN merchants.auto_swap_address_masked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.auto_swap_address_masked IS 'its ends, to be shown';


--
-- Name: COLUMN merchants.pending_charges_max; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.pending_charges_max IS 'charges that may be pending at the same time; null stands for the configuration';


--
-- Name: COLUMN merchants.verify_by; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.verify_by IS 'the account goes if its address is not confirmed until then and nothing belongs to it; null where it needs no confirmation';


--
-- Name: COLUMN merchants.payout_hold_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.payout_hold_until IS 'no sweep begins before, since where it goes was changed; null: it never was';


--
-- Name: COLUMN merchants.refund_auto_up_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.refund_auto_up_to IS 'piconero up to which a refund needs no approval; 0: each needs one';


--
-- Name: COLUMN merchants.refund_key_approves; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merchants.refund_key_approves IS 'whether the account''s own key approves claims of refunds, as its owner does with a session';


--
-- Name: merchants_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.merchants ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.merchants_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: notice_choices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notice_choices (
    merchant_id text NOT NULL,
    kind text NOT NULL,
    frequency text NOT NULL,
    CONSTRAINT notice_choices_frequency_check CHECK ((frequency = ANY (ARRAY['off'::text, 'at_once'::text, 'daily'::text]))),
    CONSTRAINT notice_choices_kind_check CHECK ((kind = ANY (ARRAY['charge_paid'::text, 'underpaid'::text, 'late'::text, 'failed_delivery'::text, 'payout_sent'::text, 'new_login'::text])))
);


--
-- Name: TABLE notice_choices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.notice_choices IS 'how often a merchant is mailed about a kind of business; without a row the default of internal/businessnotice';


--
-- Name: notice_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notice_mails (
    id text NOT NULL,
    merchant_id text NOT NULL,
    digest_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT notice_mails_id_check CHECK ((id ~ '^nm_[0-9a-f]{24}$'::text))
);


--
-- Name: TABLE notice_mails; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.notice_mails IS 'mails about business: each tells of the business notices that name it';


--
-- Name: COLUMN notice_mails.digest_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.notice_mails.digest_at IS 'the moment up to which it tells what happened: 08:00 UTC of a day; null: a mail at once';


--
-- Name: COLUMN notice_mails.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.notice_mails.sent_at IS 'when the mail server took the mail; null: not yet';


--
-- Name: outgoing_sequences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outgoing_sequences (
    wallet_id text NOT NULL,
    seq bigint NOT NULL
);


--
-- Name: TABLE outgoing_sequences; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.outgoing_sequences IS 'the highest outgoing_transactions.seq that a wallet was given; outlives the transactions';


--
-- Name: outgoing_transactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outgoing_transactions (
    id bigint NOT NULL,
    wallet_id text NOT NULL,
    purpose text NOT NULL,
    payout_id text,
    trade_ids text[] DEFAULT '{}'::text[] NOT NULL,
    state text DEFAULT 'building'::text NOT NULL,
    reason text,
    seq bigint,
    tx_hash text,
    raw bytea,
    inputs text[],
    paid numeric,
    fee numeric,
    proof_sealed bytea,
    spent_elsewhere_height bigint,
    height bigint,
    created_at timestamp with time zone NOT NULL,
    built_at timestamp with time zone,
    sent_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    abandoned_at timestamp with time zone,
    abandoned_by text,
    CONSTRAINT outgoing_transactions_check CHECK ((num_nulls(seq, tx_hash, raw, inputs, paid, fee, built_at) = ANY (ARRAY[0, 7]))),
    CONSTRAINT outgoing_transactions_check1 CHECK (((state = 'building'::text) = (built_at IS NULL))),
    CONSTRAINT outgoing_transactions_check2 CHECK (((state <> ALL (ARRAY['sent'::text, 'confirmed'::text])) OR (sent_at IS NOT NULL))),
    CONSTRAINT outgoing_transactions_check3 CHECK (((state = 'confirmed'::text) = (confirmed_at IS NOT NULL))),
    CONSTRAINT outgoing_transactions_check4 CHECK (((state = 'failed'::text) = (reason IS NOT NULL))),
    CONSTRAINT outgoing_transactions_check5 CHECK ((((state = 'abandoned'::text) = (abandoned_at IS NOT NULL)) AND (num_nulls(abandoned_at, abandoned_by) = ANY (ARRAY[0, 2])))),
    CONSTRAINT outgoing_transactions_check6 CHECK (((spent_elsewhere_height IS NULL) OR (built_at IS NOT NULL))),
    CONSTRAINT outgoing_transactions_check7 CHECK (((purpose = 'payout'::text) = (payout_id IS NOT NULL))),
    CONSTRAINT outgoing_transactions_fee_check CHECK ((fee >= (0)::numeric)),
    CONSTRAINT outgoing_transactions_paid_check CHECK ((paid >= (0)::numeric)),
    CONSTRAINT outgoing_transactions_purpose_check CHECK ((purpose = ANY (ARRAY['payout'::text, 'trade_payout'::text, 'refund'::text, 'consolidation'::text]))),
    CONSTRAINT outgoing_transactions_seq_check CHECK ((seq > 0)),
    CONSTRAINT outgoing_transactions_state_check CHECK ((state = ANY (ARRAY['building'::text, 'built'::text, 'sent'::text, 'confirmed'::text, 'failed'::text, 'abandoned'::text])))
);


--
-- Name: TABLE outgoing_transactions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.outgoing_transactions IS 'every transaction that this service makes, of merchants'' payouts and of the exchange; nothing but its bytes is relayed for what it pays until it is abandoned; amounts are in whole coins of the wallet; the address paid is that of the payout or of the trade';


--
-- Name: COLUMN outgoing_transactions.wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.wallet_id IS 'of wallets or of exchange_wallets';


--
-- Name: COLUMN outgoing_transactions.purpose; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.purpose IS 'trade_payout and refund: of trades; consolidation: to ourselves';


--
-- Name: COLUMN outgoing_transactions.payout_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.payout_id IS 'the merchant''s payout; null for all else';


--
-- Name: COLUMN outgoing_transactions.trade_ids; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.trade_ids IS 'trades whose payments it makes, or made before it was abandoned';


--
-- Name: COLUMN outgoing_transactions.state; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.state IS 'failed: the daemon refused it, its coins stay reserved; abandoned: given up for good, its coins are free';


--
-- Name: COLUMN outgoing_transactions.reason; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.reason IS 'why it failed; null unless state is failed';


--
-- Name: COLUMN outgoing_transactions.seq; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.seq IS 'counts what the wallet has signed, given with the bytes; it only grows, with gaps; null: not built';


--
-- Name: COLUMN outgoing_transactions.tx_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.tx_hash IS 'null: not built';


--
-- Name: COLUMN outgoing_transactions.raw; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.raw IS 'the signed bytes, stored before they are relayed; they are relayed again, never built again; null: not built';


--
-- Name: COLUMN outgoing_transactions.inputs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.inputs IS 'coins that no other transaction may spend until this one is mined or abandoned; null: not built';


--
-- Name: COLUMN outgoing_transactions.paid; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.paid IS 'what arrives, of all that it pays; null: not built';


--
-- Name: COLUMN outgoing_transactions.fee; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.fee IS 'what miners get; null: not built';


--
-- Name: COLUMN outgoing_transactions.proof_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.proof_sealed IS 'proves what was paid; AEAD, associated data outgoing_transactions:proof:<id>; null: none';


--
-- Name: COLUMN outgoing_transactions.spent_elsewhere_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.spent_elsewhere_height IS 'height of the chain when a block was first seen to spend its coins otherwise; null while none does';


--
-- Name: COLUMN outgoing_transactions.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.height IS 'block that holds it; null unless state is confirmed';


--
-- Name: COLUMN outgoing_transactions.built_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.built_at IS 'null: not built';


--
-- Name: COLUMN outgoing_transactions.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.sent_at IS 'when it was first relayed; null: not yet';


--
-- Name: COLUMN outgoing_transactions.confirmed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.confirmed_at IS 'null unless state is confirmed';


--
-- Name: COLUMN outgoing_transactions.abandoned_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.abandoned_at IS 'its bytes are never relayed again; what it paid is owed again; null: it is not abandoned';


--
-- Name: COLUMN outgoing_transactions.abandoned_by; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.outgoing_transactions.abandoned_by IS 'who abandoned it; null as abandoned_at is';


--
-- Name: outgoing_transactions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.outgoing_transactions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.outgoing_transactions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: password_resets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.password_resets (
    id text NOT NULL,
    email_index bytea NOT NULL,
    merchant_id text,
    token_hash bytea,
    token_sealed bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT password_resets_check CHECK (((merchant_id IS NULL) = (token_hash IS NULL))),
    CONSTRAINT password_resets_check1 CHECK (((sent_at IS NULL) OR ((token_hash IS NOT NULL) AND (token_sealed IS NULL)))),
    CONSTRAINT password_resets_id_check CHECK ((id ~ '^rs_[0-9a-f]{24}$'::text))
);


--
-- Name: TABLE password_resets; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.password_resets IS 'requests for another password; a row is written for every address, known or not, so that asking tells nothing; the mail of a known one makes the token';


--
-- Name: COLUMN password_resets.email_index; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.password_resets.email_index IS 'blind index of the address that was named';


--
-- Name: COLUMN password_resets.merchant_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.password_resets.merchant_id IS 'whose address it is; null until the mail is made, and for an address of nobody';


--
-- Name: COLUMN password_resets.token_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.password_resets.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';


--
-- Name: COLUMN password_resets.token_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.password_resets.token_sealed IS 'the token until its mail is sent: AEAD, associated data password_resets:token:<id>';


--
-- Name: COLUMN password_resets.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.password_resets.sent_at IS 'when the mail server took the mail; null: not yet, or an address of nobody';


--
-- Name: payment_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_requests (
    id text NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    amount numeric NOT NULL,
    currency text NOT NULL,
    description text,
    reference text,
    single_use boolean NOT NULL,
    fields text[] DEFAULT '{}'::text[] NOT NULL,
    expires_at timestamp with time zone,
    active boolean DEFAULT true NOT NULL,
    completed_payments integer DEFAULT 0 NOT NULL,
    consumed_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT payment_requests_amount_check CHECK (((amount >= 0.01) AND (amount <= (10000000)::numeric))),
    CONSTRAINT payment_requests_check CHECK (((consumed_at IS NOT NULL) = (single_use AND (completed_payments > 0)))),
    CONSTRAINT payment_requests_completed_payments_check CHECK ((completed_payments >= 0)),
    CONSTRAINT payment_requests_currency_check CHECK ((currency = ANY (ARRAY['USD'::text, 'EUR'::text, 'XMR'::text]))),
    CONSTRAINT payment_requests_id_check CHECK ((id ~ '^pr_[0-9a-f]{24}$'::text)),
    CONSTRAINT payment_requests_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text])))
);


--
-- Name: TABLE payment_requests; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.payment_requests IS 'links from which a charge is made when they are visited';


--
-- Name: COLUMN payment_requests.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.amount IS 'in the natural unit of currency';


--
-- Name: COLUMN payment_requests.currency; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.currency IS 'of amount; converted when a charge is made';


--
-- Name: COLUMN payment_requests.description; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.description IS 'shown to the buyer; null: none';


--
-- Name: COLUMN payment_requests.reference; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.reference IS 'the merchant''s own identifier; null: none';


--
-- Name: COLUMN payment_requests.single_use; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.single_use IS 'whether one confirmed charge consumes it';


--
-- Name: COLUMN payment_requests.fields; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.fields IS 'names of what the page asks the buyer for';


--
-- Name: COLUMN payment_requests.expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.expires_at IS 'until when charges are made of it; null: for ever';


--
-- Name: COLUMN payment_requests.active; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.active IS 'the merchant turns it off and on';


--
-- Name: COLUMN payment_requests.completed_payments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.completed_payments IS 'confirmed charges; written with the confirmation';


--
-- Name: COLUMN payment_requests.consumed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_requests.consumed_at IS 'first confirmed charge of a request for one payment; later ones confirm all the same; null: none yet';


--
-- Name: payouts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payouts (
    id text NOT NULL,
    merchant_id text NOT NULL,
    wallet_id text NOT NULL,
    status text DEFAULT 'building'::text NOT NULL,
    address_sealed bytea NOT NULL,
    address_masked text NOT NULL,
    gross public.piconero NOT NULL,
    fee_rate numeric NOT NULL,
    fee public.piconero DEFAULT 0 NOT NULL,
    network_fee public.piconero DEFAULT 0 NOT NULL,
    amount public.piconero DEFAULT 0 NOT NULL,
    charges_paid integer NOT NULL,
    outputs integer NOT NULL,
    tx_hash text,
    height bigint,
    error text,
    created_at timestamp with time zone NOT NULL,
    built_at timestamp with time zone,
    sent_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    swap_ticker text,
    swap_network text,
    swap_address_sealed bytea,
    swap_id text,
    claim_id text,
    refund_amount public.piconero DEFAULT 0 NOT NULL,
    CONSTRAINT payouts_check CHECK (((status <> ALL (ARRAY['broadcast'::text, 'confirmed'::text])) OR ((sent_at IS NOT NULL) AND (tx_hash IS NOT NULL)))),
    CONSTRAINT payouts_check1 CHECK (((built_at IS NULL) OR ((gross)::numeric = ((((amount)::numeric + (refund_amount)::numeric) + (fee)::numeric) + (network_fee)::numeric)))),
    CONSTRAINT payouts_check2 CHECK (((claim_id IS NULL) = ((refund_amount)::numeric = (0)::numeric))),
    CONSTRAINT payouts_check3 CHECK (((claim_id IS NULL) OR (swap_ticker IS NULL))),
    CONSTRAINT payouts_check4 CHECK ((num_nulls(swap_ticker, swap_network) = ANY (ARRAY[0, 2]))),
    CONSTRAINT payouts_check5 CHECK (((swap_id IS NULL) OR (swap_ticker IS NOT NULL))),
    CONSTRAINT payouts_check6 CHECK (((swap_ticker IS NULL) OR (status = 'failed'::text) OR (num_nonnulls(swap_id, swap_address_sealed) = 1))),
    CONSTRAINT payouts_id_check CHECK ((id ~ '^po_[0-9a-f]{24}$'::text)),
    CONSTRAINT payouts_outputs_check CHECK (((outputs >= 1) AND (outputs <= 146))),
    CONSTRAINT payouts_status_check CHECK ((status = ANY (ARRAY['building'::text, 'broadcast'::text, 'confirmed'::text, 'failed'::text]))),
    CONSTRAINT payouts_swap_before_build CHECK (((swap_ticker IS NULL) OR (built_at IS NULL) OR (swap_id IS NOT NULL)))
);


--
-- Name: TABLE payouts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.payouts IS 'sweeps of a merchant''s payments to the merchant';


--
-- Name: COLUMN payouts.status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.status IS 'building: reserved, maybe built, not relayed; broadcast: relayed; confirmed: deep enough; failed: nothing was paid and the payments are free';


--
-- Name: COLUMN payouts.address_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.address_sealed IS 'where the transaction goes, the deposit address once there is a swap: AEAD, associated data payouts:address:<id>';


--
-- Name: COLUMN payouts.address_masked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.address_masked IS 'its ends, to be shown';


--
-- Name: COLUMN payouts.gross; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.gross IS 'piconero of the payments that it takes';


--
-- Name: COLUMN payouts.fee_rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.fee_rate IS 'share of gross, less what is refunded, that the operator keeps, as it was when it was reserved';


--
-- Name: COLUMN payouts.fee; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.fee IS 'piconero that the operator keeps';


--
-- Name: COLUMN payouts.network_fee; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.network_fee IS 'piconero paid to miners';


--
-- Name: COLUMN payouts.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.amount IS 'piconero that arrive at the merchant';


--
-- Name: COLUMN payouts.charges_paid; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.charges_paid IS 'number of charges';


--
-- Name: COLUMN payouts.outputs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.outputs IS 'number of outputs that it spends';


--
-- Name: COLUMN payouts.tx_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.tx_hash IS 'null: not built';


--
-- Name: COLUMN payouts.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.height IS 'block that holds it; null: in none yet';


--
-- Name: COLUMN payouts.error; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.error IS 'why it failed; null: it did not';


--
-- Name: COLUMN payouts.built_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.built_at IS 'null: not built';


--
-- Name: COLUMN payouts.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.sent_at IS 'when it was first relayed; null: not yet';


--
-- Name: COLUMN payouts.confirmed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.confirmed_at IS 'null unless status is confirmed';


--
-- Name: COLUMN payouts.swap_ticker; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.swap_ticker IS 'with swap_network the coin that is paid in place of Monero; null for a payout in Monero';


--
-- Name: COLUMN payouts.swap_network; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.swap_network IS 'null as swap_ticker is';


--
-- Name: COLUMN payouts.swap_address_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.swap_address_sealed IS 'where that coin goes, until the swap knows: AEAD, associated data payouts:swap_address:<id>; null without a swap, and from then on';


--
-- Name: COLUMN payouts.swap_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.swap_id IS 'the swap whose deposit address the transaction pays; it may be pruned before the payout; null: none, or not ordered yet';


--
-- Name: COLUMN payouts.claim_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.claim_id IS 'the claim of a refund that the transaction pays beside the merchant; null: none';


--
-- Name: COLUMN payouts.refund_amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payouts.refund_amount IS 'piconero that arrive at the address of that claim; 0 without one';


--
-- Name: CONSTRAINT payouts_swap_before_build ON payouts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON CONSTRAINT payouts_swap_before_build ON public.payouts IS 'nothing is built before its swap is known, so that no worker pays it to another address';


--
-- Name: pending_charges; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pending_charges (
    merchant_id text NOT NULL,
    shard smallint NOT NULL,
    charges integer NOT NULL,
    CONSTRAINT pending_charges_shard_check CHECK (((shard >= 0) AND (shard <= 15)))
)
WITH (fillfactor='50');


--
-- Name: TABLE pending_charges; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.pending_charges IS 'how many charges of a merchant are pending, kept by a trigger on charges; the sum of the shards is exact';


--
-- Name: COLUMN pending_charges.charges; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.pending_charges.charges IS 'charges that became pending less those that ended, as far as this shard counted them; one shard alone may be negative';


--
-- Name: rate_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rate_counts (
    bucket text NOT NULL,
    key_hash bytea NOT NULL,
    window_start timestamp with time zone NOT NULL,
    count integer NOT NULL
);


--
-- Name: TABLE rate_counts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rate_counts IS 'requests by client and window, shared by all instances of the API; not logged: a crash of the database may lose it, and counting then starts afresh';


--
-- Name: COLUMN rate_counts.bucket; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rate_counts.bucket IS 'which limit counts';


--
-- Name: COLUMN rate_counts.key_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rate_counts.key_hash IS 'SHA-256 of the API key row, merchant or client address that is counted';


--
-- Name: COLUMN rate_counts.count; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rate_counts.count IS 'requests in the window';


--
-- Name: received_payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.received_payments (
    id bigint NOT NULL,
    wallet_id text NOT NULL,
    tx_hash text NOT NULL,
    subaddress_index integer NOT NULL,
    charge_id text,
    merchant_id text,
    amount public.piconero NOT NULL,
    outputs integer NOT NULL,
    height bigint,
    unlock_height bigint DEFAULT 0 NOT NULL,
    unlock_at timestamp with time zone,
    mature_height bigint,
    mature boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    vanished_at timestamp with time zone,
    payout_id text,
    resolved_at timestamp with time zone,
    note text,
    fresh boolean DEFAULT false NOT NULL,
    shown_amount public.piconero,
    CONSTRAINT received_payments_check CHECK (((height IS NULL) = (mature_height IS NULL))),
    CONSTRAINT received_payments_check1 CHECK (((NOT mature) OR (height IS NOT NULL))),
    CONSTRAINT received_payments_check2 CHECK (((vanished_at IS NULL) OR (height IS NULL))),
    CONSTRAINT received_payments_check3 CHECK (((resolved_at IS NULL) = (note IS NULL))),
    CONSTRAINT received_payments_outputs_check CHECK ((outputs > 0))
);


--
-- Name: TABLE received_payments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.received_payments IS 'outputs of one transaction that were paid to one subaddress, as the view-only wallet shows them';


--
-- Name: COLUMN received_payments.subaddress_index; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.subaddress_index IS 'minor index, in account 0';


--
-- Name: COLUMN received_payments.charge_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.charge_id IS 'whose address it is; null: unmatched';


--
-- Name: COLUMN received_payments.merchant_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.merchant_id IS 'of that charge; null: unmatched';


--
-- Name: COLUMN received_payments.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.amount IS 'piconero, sum of the outputs';


--
-- Name: COLUMN received_payments.outputs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.outputs IS 'number of outputs';


--
-- Name: COLUMN received_payments.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.height IS 'block that holds it; null while it is in the pool or gone';


--
-- Name: COLUMN received_payments.unlock_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.unlock_height IS 'number of blocks before which its payer locked it; 0 for an ordinary payment';


--
-- Name: COLUMN received_payments.unlock_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.unlock_at IS 'moment before which its payer locked it; null for an ordinary payment';


--
-- Name: COLUMN received_payments.mature_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.mature_height IS 'number of blocks at which it has the confirmations that its charge wants, and is unlocked; null as height is';


--
-- Name: COLUMN received_payments.mature; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.mature IS 'the charge was told that mature_height is reached';


--
-- Name: COLUMN received_payments.vanished_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.vanished_at IS 'since when it is missing: neither in the pool nor in the chain; null: it is there';


--
-- Name: COLUMN received_payments.payout_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.payout_id IS 'the payout that reserves or paid it; null: none';


--
-- Name: COLUMN received_payments.resolved_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.resolved_at IS 'when an operator dealt with an unmatched payment; null: open, or not unmatched';


--
-- Name: COLUMN received_payments.note; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.note IS 'what an operator did about money that belongs to no charge';


--
-- Name: COLUMN received_payments.fresh; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.fresh IS 'its charge has not been advanced with it yet: it is not shown';


--
-- Name: COLUMN received_payments.shown_amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.received_payments.shown_amount IS 'piconero that the wallet shows in its block, where a payout had taken another amount; null where it is that';


--
-- Name: received_payments_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.received_payments ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.received_payments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: refund_claims; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refund_claims (
    id text NOT NULL,
    refund_id text NOT NULL,
    status text NOT NULL,
    amount public.piconero NOT NULL,
    address_sealed bytea,
    address_masked text NOT NULL,
    proof_sealed bytea,
    waits_for text,
    needs public.piconero DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    must_spend bigint,
    next_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    approved_at timestamp with time zone,
    sent_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    CONSTRAINT refund_claims_amount_check CHECK (((amount)::numeric > (0)::numeric)),
    CONSTRAINT refund_claims_check CHECK (((address_sealed IS NOT NULL) OR (status = ANY (ARRAY['in_progress'::text, 'completed'::text, 'cancelled'::text])))),
    CONSTRAINT refund_claims_check1 CHECK (((status <> ALL (ARRAY['awaiting_payment'::text, 'in_progress'::text, 'completed'::text])) OR (approved_at IS NOT NULL))),
    CONSTRAINT refund_claims_check2 CHECK (((status = 'completed'::text) = (confirmed_at IS NOT NULL))),
    CONSTRAINT refund_claims_check3 CHECK (((waits_for IS NULL) OR (status = 'awaiting_payment'::text))),
    CONSTRAINT refund_claims_id_check CHECK ((id ~ '^rc_[0-9a-f]{24}$'::text)),
    CONSTRAINT refund_claims_status_check CHECK ((status = ANY (ARRAY['awaiting_approval'::text, 'awaiting_payment'::text, 'in_progress'::text, 'completed'::text, 'cancelled'::text])))
);


--
-- Name: TABLE refund_claims; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.refund_claims IS 'parts of refunds, each to one address; payouts.claim_id names the payout that pays one';


--
-- Name: COLUMN refund_claims.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.amount IS 'piconero that arrive';


--
-- Name: COLUMN refund_claims.address_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.address_sealed IS 'where it goes: AEAD, associated data refund_claims:address:<id>; null where a restored database does not know it';


--
-- Name: COLUMN refund_claims.address_masked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.address_masked IS 'its ends, to be shown';


--
-- Name: COLUMN refund_claims.proof_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.proof_sealed IS 'proves what was paid to the buyer and the merchant: AEAD, associated data refund_claims:proof:<id>; null before it was sent';


--
-- Name: COLUMN refund_claims.waits_for; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.waits_for IS 'what its payment waits for; null: for nothing';


--
-- Name: COLUMN refund_claims.needs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.needs IS 'piconero of unpaid payments that it was found to need; 0: not known';


--
-- Name: COLUMN refund_claims.failures; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.failures IS 'payouts of it that failed';


--
-- Name: COLUMN refund_claims.must_spend; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.must_spend IS 'the received payment that each transaction of it spends, so that no two of them can be mined; null: none was given up that was built';


--
-- Name: COLUMN refund_claims.next_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.next_at IS 'its payment is not tried before';


--
-- Name: COLUMN refund_claims.approved_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.approved_at IS 'null: it was not approved';


--
-- Name: COLUMN refund_claims.sent_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.sent_at IS 'when its transaction was first relayed; null: not yet';


--
-- Name: COLUMN refund_claims.confirmed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refund_claims.confirmed_at IS 'null unless status is completed';


--
-- Name: refunds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refunds (
    id text NOT NULL,
    merchant_id text NOT NULL,
    charge_id text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    variant text NOT NULL,
    amount public.piconero NOT NULL,
    fiat_amount numeric,
    fiat_currency text,
    name text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    automatic boolean DEFAULT false NOT NULL,
    token_hash bytea NOT NULL,
    token_sealed bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    made_by text,
    CONSTRAINT refunds_amount_check CHECK (((amount)::numeric > (0)::numeric)),
    CONSTRAINT refunds_check CHECK (((fiat_amount IS NULL) = (fiat_currency IS NULL))),
    CONSTRAINT refunds_check1 CHECK (((status <> 'cancelled'::text) OR (cancelled_at IS NOT NULL))),
    CONSTRAINT refunds_fiat_amount_check CHECK ((fiat_amount > (0)::numeric)),
    CONSTRAINT refunds_fiat_currency_check CHECK ((fiat_currency = ANY (ARRAY['USD'::text, 'EUR'::text]))),
    CONSTRAINT refunds_id_check CHECK ((id ~ '^rf_[0-9a-f]{24}$'::text)),
    CONSTRAINT refunds_status_check CHECK ((status = ANY (ARRAY['open'::text, 'awaiting_approval'::text, 'awaiting_payment'::text, 'in_progress'::text, 'completed'::text, 'cancelled'::text, 'expired'::text]))),
    CONSTRAINT refunds_variant_check CHECK ((variant = ANY (ARRAY['RateThen'::text, 'CurrentRate'::text, 'OverpaidAmount'::text, 'Fiat'::text, 'Custom'::text])))
);


--
-- Name: TABLE refunds; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.refunds IS 'what of a charge is given back to whoever has the link; rows stay as those of payouts do';


--
-- Name: COLUMN refunds.charge_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.charge_id IS 'the charge; it may be pruned once the refund has ended; empty: it is of no charge';


--
-- Name: COLUMN refunds.status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.status IS 'follows from its claims and its times: written with each change of them';


--
-- Name: COLUMN refunds.variant; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.variant IS 'how amount was found';


--
-- Name: COLUMN refunds.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.amount IS 'piconero that may be claimed, fixed when it was made';


--
-- Name: COLUMN refunds.fiat_amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.fiat_amount IS 'what amount was reckoned from, in fiat_currency; null: it was reckoned in XMR';


--
-- Name: COLUMN refunds.fiat_currency; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.fiat_currency IS 'null as fiat_amount is';


--
-- Name: COLUMN refunds.name; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.name IS 'shown to the buyer; empty: none';


--
-- Name: COLUMN refunds.description; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.description IS 'shown to the buyer; empty: none';


--
-- Name: COLUMN refunds.automatic; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.automatic IS 'claims need no approval; decided when it was made';


--
-- Name: COLUMN refunds.token_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.token_hash IS 'SHA-256 of the secret in the link, which carries 256 random bits';


--
-- Name: COLUMN refunds.token_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.token_sealed IS 'that secret, to show the merchant the link again: AEAD, associated data refunds:token:<id>; null where it is not known any more';


--
-- Name: COLUMN refunds.expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.expires_at IS 'claims that come later are refused; those that are there go on';


--
-- Name: COLUMN refunds.cancelled_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.cancelled_at IS 'null: it was not cancelled';


--
-- Name: COLUMN refunds.made_by; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.refunds.made_by IS 'the person of the staff who made it; null: the merchant or a key did';


--
-- Name: test_clocks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.test_clocks (
    id text NOT NULL,
    merchant_id text NOT NULL,
    name text,
    status text DEFAULT 'ready'::text NOT NULL,
    frozen_time timestamp with time zone NOT NULL,
    target_time timestamp with time zone,
    first_time timestamp with time zone NOT NULL,
    idempotency_key text,
    advance_key text,
    created_at timestamp with time zone NOT NULL,
    deletes_after timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT test_clocks_check CHECK ((target_time > frozen_time)),
    CONSTRAINT test_clocks_check1 CHECK (((status = 'advancing'::text) = (target_time IS NOT NULL))),
    CONSTRAINT test_clocks_id_check CHECK ((id ~ '^clock_[0-9a-f]{24}$'::text)),
    CONSTRAINT test_clocks_status_check CHECK ((status = ANY (ARRAY['ready'::text, 'advancing'::text, 'internal_failure'::text])))
);


--
-- Name: TABLE test_clocks; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.test_clocks IS 'clocks of the sandbox that a merchant moves: charges that are bound to one live by its time';


--
-- Name: COLUMN test_clocks.name; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.name IS 'what the merchant calls it; null: nothing';


--
-- Name: COLUMN test_clocks.frozen_time; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.frozen_time IS 'its time, in whole seconds; the time before the advance while it is advancing';


--
-- Name: COLUMN test_clocks.target_time; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.target_time IS 'the time it advances to, which what is bound lives by already; null unless it is advancing';


--
-- Name: COLUMN test_clocks.first_time; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.first_time IS 'frozen_time as it was made, for a request that is repeated';


--
-- Name: COLUMN test_clocks.idempotency_key; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.idempotency_key IS 'of the request that made it; null: none';


--
-- Name: COLUMN test_clocks.advance_key; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.advance_key IS 'idempotency key of the last advance; null: none';


--
-- Name: COLUMN test_clocks.deletes_after; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.deletes_after IS 'from when on it counts as deleted';


--
-- Name: COLUMN test_clocks.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.test_clocks.deleted_at IS 'when the merchant deleted it; null: it was not';


--
-- Name: test_clock_times; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.test_clock_times AS
 SELECT test_clocks.id,
    test_clocks.merchant_id,
    COALESCE(test_clocks.target_time, test_clocks.frozen_time) AS at,
    ((test_clocks.deleted_at IS NOT NULL) OR (test_clocks.deletes_after <= now())) AS gone
   FROM public.test_clocks;


--
-- Name: VIEW test_clock_times; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.test_clock_times IS 'the time that charges of a test clock live by, and whether the clock is deleted';


--
-- Name: wallets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets (
    id text NOT NULL,
    mode text NOT NULL,
    primary_address text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    chain_height bigint DEFAULT 0 NOT NULL,
    top_hash text DEFAULT ''::text NOT NULL,
    scanned_at timestamp with time zone,
    settled_height bigint DEFAULT 0 NOT NULL,
    settled_hash text DEFAULT ''::text NOT NULL,
    rescan boolean DEFAULT false NOT NULL,
    simulated boolean DEFAULT false NOT NULL,
    CONSTRAINT wallets_check CHECK (((NOT simulated) OR (mode = 'sandbox'::text))),
    CONSTRAINT wallets_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text])))
)
WITH (fillfactor='50');


--
-- Name: TABLE wallets; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.wallets IS 'merchants'' wallets, one for each mode, as their watchers last saw them';


--
-- Name: COLUMN wallets.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.id IS 'name of the wallet in the configuration';


--
-- Name: COLUMN wallets.mode; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.mode IS 'live: real money; sandbox: a test network';


--
-- Name: COLUMN wallets.primary_address; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.primary_address IS 'from its view key the watcher knows what is the wallet''s';


--
-- Name: COLUMN wallets.chain_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.chain_height IS 'number of blocks of the chain; a transaction in the top block has height chain_height - 1 and 1 confirmation';


--
-- Name: COLUMN wallets.top_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.top_hash IS 'hash of block chain_height - 1 when it was scanned; a difference later means a reorganization; empty before the first scan';


--
-- Name: COLUMN wallets.scanned_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.scanned_at IS 'when the watcher last scanned; null: never';


--
-- Name: COLUMN wallets.settled_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.settled_height IS 'payments in blocks below it are final; scans begin there at the lowest';


--
-- Name: COLUMN wallets.settled_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.settled_hash IS 'hash of block settled_height - 1; empty when it is not known';


--
-- Name: COLUMN wallets.rescan; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.rescan IS 'the wallet file was older than the addresses that were made: it has to read the chain anew';


--
-- Name: COLUMN wallets.simulated; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.wallets.simulated IS 'no wallet: a charge of the sandbox that is paid by the sandbox''s operations; the row named simulated stands for the sandbox of merchants where no wallet has it';


--
-- Name: removable_charges; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.removable_charges AS
 SELECT c.id
   FROM (public.charges c
     JOIN public.wallets w ON ((w.id = c.wallet_id)))
  WHERE (((c.status = 'expired'::text) OR ((c.status = 'confirmed'::text) AND ((c.payout_id IS NOT NULL) OR (c.mark = 'settled'::text) OR w.simulated))) AND ((c.test_clock_id IS NULL) OR (EXISTS ( SELECT 1
           FROM public.test_clock_times k
          WHERE ((k.id = c.test_clock_id) AND k.gone)))) AND (NOT (EXISTS ( SELECT 1
           FROM public.payouts p
          WHERE ((p.id = c.payout_id) AND (p.status <> 'confirmed'::text))))) AND (w.simulated OR (NOT (EXISTS ( SELECT 1
           FROM (public.received_payments t
             LEFT JOIN public.payouts p ON ((p.id = t.payout_id)))
          WHERE ((t.charge_id = c.id) AND (t.vanished_at IS NULL) AND (p.status IS DISTINCT FROM 'confirmed'::text)))))) AND (NOT (EXISTS ( SELECT 1
           FROM public.refunds r
          WHERE ((r.charge_id = c.id) AND (r.status <> ALL (ARRAY['completed'::text, 'cancelled'::text, 'expired'::text])))))));


--
-- Name: VIEW removable_charges; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.removable_charges IS 'charges that may be removed once they are old enough: ended, with every payment that is not gone paid out by a confirmed payout, no refund that goes on, and no test clock that is kept; what was simulated need not be paid out';


--
-- Name: trade_deposits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade_deposits (
    id bigint NOT NULL,
    trade_id text NOT NULL,
    wallet_id text NOT NULL,
    tx_hash text NOT NULL,
    address text NOT NULL,
    amount numeric NOT NULL,
    height bigint,
    confirmations bigint DEFAULT 0 NOT NULL,
    locked boolean DEFAULT false NOT NULL,
    contested boolean DEFAULT false NOT NULL,
    blocked boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    missing_at timestamp with time zone,
    abandoned boolean DEFAULT false NOT NULL,
    unlock_height bigint DEFAULT 0 NOT NULL,
    unlock_at timestamp with time zone,
    spendable_after integer DEFAULT 0 NOT NULL,
    mature_height bigint,
    mature boolean DEFAULT false NOT NULL,
    mined_at timestamp with time zone,
    shown_amount numeric,
    origins_due_at timestamp with time zone,
    origins_sealed bytea,
    origins_asked integer DEFAULT 0 NOT NULL,
    CONSTRAINT trade_deposits_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT trade_deposits_check CHECK (((confirmations > 0) = (height IS NOT NULL))),
    CONSTRAINT trade_deposits_check1 CHECK (((missing_at IS NULL) OR (height IS NULL))),
    CONSTRAINT trade_deposits_confirmations_check CHECK ((confirmations >= 0)),
    CONSTRAINT trade_deposits_origins_asked_check CHECK ((origins_asked >= 0)),
    CONSTRAINT trade_deposits_shown_amount_check CHECK ((shown_amount >= (0)::numeric))
);


--
-- Name: TABLE trade_deposits; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.trade_deposits IS 'received payments at the addresses of trades, one row for each transaction and address; amounts are in whole coins';


--
-- Name: COLUMN trade_deposits.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.height IS 'block that holds it; null: in none';


--
-- Name: COLUMN trade_deposits.confirmations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.confirmations IS 'as last seen, followed until it is mature';


--
-- Name: COLUMN trade_deposits.locked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.locked IS 'it cannot be spent yet';


--
-- Name: COLUMN trade_deposits.contested; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.contested IS 'another transaction was seen that spends the same coins, and no block has decided between them';


--
-- Name: COLUMN trade_deposits.blocked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.blocked IS 'an origin is on a sanctions list; never taken back';


--
-- Name: COLUMN trade_deposits.missing_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.missing_at IS 'since when it is neither in the pool nor in the chain; null: it is there';


--
-- Name: COLUMN trade_deposits.abandoned; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.abandoned IS 'it was unconfirmed or locked for too long: it is sent back once it can be spent';


--
-- Name: COLUMN trade_deposits.unlock_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.unlock_height IS 'number of blocks before which its payer locked it; 0 for an ordinary payment';


--
-- Name: COLUMN trade_deposits.unlock_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.unlock_at IS 'moment before which its payer locked it; null for an ordinary payment';


--
-- Name: COLUMN trade_deposits.spendable_after; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.spendable_after IS 'confirmations before which consensus does not let it be spent';


--
-- Name: COLUMN trade_deposits.mature_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.mature_height IS 'number of blocks at which it has the confirmations that its trade wants, and can be spent; null: in no block';


--
-- Name: COLUMN trade_deposits.mature; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.mature IS 'the daemon showed it in the chain at mature_height, and its trade was told';


--
-- Name: COLUMN trade_deposits.mined_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.mined_at IS 'when it was first seen in a block; null when it never was';


--
-- Name: COLUMN trade_deposits.shown_amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.shown_amount IS 'what the wallet shows in its block, where another amount was answered; null where it is that';


--
-- Name: COLUMN trade_deposits.origins_due_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.origins_due_at IS 'when the daemon is asked again where it comes from; null once that is known. Until then it counts for nothing';


--
-- Name: COLUMN trade_deposits.origins_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.origins_sealed IS 'addresses that it was spent from, null where the chain shows none; AEAD, associated data trade_deposits:origins:<wallet_id>/<tx_hash>/<address>';


--
-- Name: COLUMN trade_deposits.origins_asked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_deposits.origins_asked IS 'how often it was asked in vain where it comes from';


--
-- Name: trade_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade_events (
    id bigint NOT NULL,
    trade_id text NOT NULL,
    status text NOT NULL,
    prev_status text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    payload text NOT NULL,
    delivery text NOT NULL,
    begun_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    round_from integer DEFAULT 0 NOT NULL,
    http_status integer,
    error text,
    last_attempt_at timestamp with time zone,
    next_attempt_at timestamp with time zone,
    delivered_at timestamp with time zone,
    CONSTRAINT trade_events_check CHECK (((delivery = 'delivered'::text) = (delivered_at IS NOT NULL))),
    CONSTRAINT trade_events_check1 CHECK ((status <> prev_status)),
    CONSTRAINT trade_events_delivery_check CHECK ((delivery = ANY (ARRAY['none'::text, 'pending'::text, 'delivered'::text, 'failed'::text, 'dropped'::text])))
);


--
-- Name: TABLE trade_events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.trade_events IS 'every change of a trade''s status, and where its webhook stands';


--
-- Name: COLUMN trade_events.status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.status IS 'what it became';


--
-- Name: COLUMN trade_events.prev_status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.prev_status IS 'what it was';


--
-- Name: COLUMN trade_events.payload; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.payload IS 'the exact body bytes that every attempt sends';


--
-- Name: COLUMN trade_events.delivery; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.delivery IS 'none: the trade has no webhook; failed: given up after 24 hours, the dead letters';


--
-- Name: COLUMN trade_events.begun_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.begun_at IS 'when attempts began, from which the 24 hours count; null: not begun';


--
-- Name: COLUMN trade_events.attempts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.attempts IS 'made and recorded';


--
-- Name: COLUMN trade_events.round_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.round_from IS 'how many attempts there were before it was last sent again; 0: it was not. Pauses count from there';


--
-- Name: COLUMN trade_events.http_status; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.http_status IS 'of the last answer; null: there was none';


--
-- Name: COLUMN trade_events.error; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.error IS 'why the last attempt failed; null: it did not';


--
-- Name: COLUMN trade_events.last_attempt_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.last_attempt_at IS 'null: none yet';


--
-- Name: COLUMN trade_events.next_attempt_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.next_attempt_at IS 'when it is attempted next; null once it has ended, and without a webhook';


--
-- Name: COLUMN trade_events.delivered_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_events.delivered_at IS 'null unless delivery is delivered';


--
-- Name: trade_orders; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade_orders (
    trade_id text NOT NULL,
    provider text NOT NULL,
    state text DEFAULT 'placing'::text NOT NULL,
    id_provider text,
    word text DEFAULT ''::text NOT NULL,
    amount_to numeric,
    deposit_tx text DEFAULT ''::text NOT NULL,
    payout_tx text DEFAULT ''::text NOT NULL,
    refund_tx text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    heard_at timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT trade_orders_amount_to_check CHECK ((amount_to >= (0)::numeric)),
    CONSTRAINT trade_orders_check CHECK (((state = 'placed'::text) = (id_provider IS NOT NULL))),
    CONSTRAINT trade_orders_check1 CHECK (((state = 'placed'::text) = (heard_at IS NOT NULL))),
    CONSTRAINT trade_orders_check2 CHECK (((closed_at IS NULL) OR (state = 'placed'::text))),
    CONSTRAINT trade_orders_state_check CHECK ((state = ANY (ARRAY['placing'::text, 'placed'::text, 'refused'::text, 'uncertain'::text]))),
    CONSTRAINT trade_orders_trade_id_check CHECK ((trade_id ~ '^[0-9a-f]{32}$'::text))
);


--
-- Name: TABLE trade_orders; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.trade_orders IS 'orders at other providers for trades; a row is written before the order is sent, so that no order is sent twice; the trade is written with its answer';


--
-- Name: COLUMN trade_orders.state; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.state IS 'uncertain: the provider may hold an order that nobody pays; its deposit address was shown to nobody';


--
-- Name: COLUMN trade_orders.id_provider; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.id_provider IS 'the provider''s name of the order; null unless state is placed';


--
-- Name: COLUMN trade_orders.word; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.word IS 'the provider''s last word for the state';


--
-- Name: COLUMN trade_orders.amount_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.amount_to IS 'what the provider pays, or expects to, in the coin paid out; null: not told';


--
-- Name: COLUMN trade_orders.deposit_tx; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.deposit_tx IS 'transaction hash, as the provider tells it; empty: not told';


--
-- Name: COLUMN trade_orders.payout_tx; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.payout_tx IS 'transaction hash, as the provider tells it; empty: not told';


--
-- Name: COLUMN trade_orders.refund_tx; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.refund_tx IS 'transaction hash, as the provider tells it; empty: not told';


--
-- Name: COLUMN trade_orders.heard_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.heard_at IS 'when the provider last answered; null unless state is placed';


--
-- Name: COLUMN trade_orders.closed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_orders.closed_at IS 'since when it is not asked about any more; null: it is';


--
-- Name: trade_payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade_payments (
    id bigint NOT NULL,
    trade_id text NOT NULL,
    deposit_id bigint NOT NULL,
    kind text NOT NULL,
    wallet_id text NOT NULL,
    amount numeric NOT NULL,
    reason text,
    transaction_id bigint,
    paid numeric,
    fee numeric,
    created_at timestamp with time zone NOT NULL,
    dust boolean DEFAULT false NOT NULL,
    CONSTRAINT trade_payments_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT trade_payments_check CHECK (((num_nulls(paid, fee) = ANY (ARRAY[0, 2])) AND ((paid IS NULL) OR (transaction_id IS NOT NULL)))),
    CONSTRAINT trade_payments_check1 CHECK (((paid IS NULL) OR ((kind = 'payout'::text) AND (paid = amount)) OR ((kind = 'refund'::text) AND ((paid + fee) = amount)))),
    CONSTRAINT trade_payments_failed CHECK (((reason IS NULL) OR (transaction_id IS NULL) OR dust)),
    CONSTRAINT trade_payments_kind_check CHECK ((kind = ANY (ARRAY['payout'::text, 'refund'::text])))
);


--
-- Name: TABLE trade_payments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.trade_payments IS 'what the exchange owes for a deposit, a payout or a refund; a deposit is answered once, one transaction may answer many; amounts are in whole coins';


--
-- Name: COLUMN trade_payments.wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.wallet_id IS 'the wallet that pays';


--
-- Name: COLUMN trade_payments.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.amount IS 'what a payout pays; a refund pays this less its chain fee';


--
-- Name: COLUMN trade_payments.reason; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.reason IS 'why no transaction was made; null while one may be';


--
-- Name: COLUMN trade_payments.transaction_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.transaction_id IS 'the transaction that makes it; null: none does yet';


--
-- Name: COLUMN trade_payments.paid; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.paid IS 'what arrives; null as fee is: not built';


--
-- Name: COLUMN trade_payments.fee; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.fee IS 'its share of the transaction''s chain fee; a payout pays it on top';


--
-- Name: COLUMN trade_payments.dust; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_payments.dust IS 'a refund that costs more than it brings: it has a reason, and goes with others where there are some';


--
-- Name: trade_payment_states; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.trade_payment_states AS
 SELECT p.id,
    p.trade_id,
    p.deposit_id,
    p.kind,
    p.wallet_id,
    p.amount,
    p.reason,
    p.transaction_id,
    p.paid,
    p.fee,
    p.created_at,
        CASE
            WHEN (x.id IS NOT NULL) THEN x.state
            WHEN (p.reason IS NOT NULL) THEN 'failed'::text
            ELSE 'planned'::text
        END AS state,
    x.reason AS transaction_reason,
    x.tx_hash,
    x.built_at,
    x.sent_at,
    x.confirmed_at,
    p.dust
   FROM (public.trade_payments p
     LEFT JOIN public.outgoing_transactions x ON ((x.id = p.transaction_id)));


--
-- Name: VIEW trade_payment_states; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.trade_payment_states IS 'a trade payment with the transaction that makes it';


--
-- Name: trades; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trades (
    id text NOT NULL,
    id_provider text NOT NULL,
    key_id text,
    client_code bytea,
    provider text NOT NULL,
    risk text NOT NULL,
    wallet_from text,
    wallet_to text,
    ticker_from text NOT NULL,
    network_from text NOT NULL,
    ticker_to text NOT NULL,
    network_to text NOT NULL,
    amount_from numeric NOT NULL,
    amount_to numeric NOT NULL,
    rate numeric NOT NULL,
    markup integer DEFAULT 0 NOT NULL,
    commission_rate numeric DEFAULT 0 NOT NULL,
    min_from numeric NOT NULL,
    max_from numeric NOT NULL,
    deposit_address text NOT NULL,
    confirmations integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    window_seconds integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    status text DEFAULT 'awaiting_deposit'::text NOT NULL,
    status_detail text DEFAULT ''::text NOT NULL,
    reserved numeric NOT NULL,
    received numeric DEFAULT 0 NOT NULL,
    payout numeric DEFAULT 0 NOT NULL,
    counted_deposit bigint,
    updated_at timestamp with time zone NOT NULL,
    created_height bigint,
    details_sealed bytea NOT NULL,
    has_webhook boolean DEFAULT false NOT NULL,
    CONSTRAINT trades_amount_from_check CHECK ((amount_from > (0)::numeric)),
    CONSTRAINT trades_amount_to_check CHECK ((amount_to > (0)::numeric)),
    CONSTRAINT trades_both_wallets CHECK (((wallet_from IS NULL) = (wallet_to IS NULL))),
    CONSTRAINT trades_check CHECK ((max_from >= min_from)),
    CONSTRAINT trades_check1 CHECK ((expires_at > created_at)),
    CONSTRAINT trades_check2 CHECK ((wallet_from <> wallet_to)),
    CONSTRAINT trades_check3 CHECK ((payout <= (received * rate))),
    CONSTRAINT trades_check4 CHECK (((payout = (0)::numeric) OR (counted_deposit IS NOT NULL))),
    CONSTRAINT trades_check5 CHECK (((reserved = (0)::numeric) OR (status = ANY (ARRAY['awaiting_deposit'::text, 'deposit_detected'::text, 'confirming'::text, 'processing'::text, 'sending'::text])))),
    CONSTRAINT trades_check6 CHECK (((commission_rate = (0)::numeric) OR (key_id IS NOT NULL))),
    CONSTRAINT trades_commission_rate_check CHECK ((commission_rate >= (0)::numeric)),
    CONSTRAINT trades_confirmations_check CHECK (((confirmations >= 1) AND (confirmations <= 1000))),
    CONSTRAINT trades_id_check CHECK ((id ~ '^[0-9a-f]{32}$'::text)),
    CONSTRAINT trades_markup_check CHECK (((markup >= 0) AND (markup <= 5000))),
    CONSTRAINT trades_min_from_check CHECK ((min_from > (0)::numeric)),
    CONSTRAINT trades_own_id CHECK (((wallet_from IS NULL) OR (id_provider ~ '^sw_[0-9a-f]{24}$'::text))),
    CONSTRAINT trades_payout_check CHECK ((payout >= (0)::numeric)),
    CONSTRAINT trades_rate_check CHECK ((rate > (0)::numeric)),
    CONSTRAINT trades_received_check CHECK ((received >= (0)::numeric)),
    CONSTRAINT trades_reserved_check CHECK ((reserved >= (0)::numeric)),
    CONSTRAINT trades_risk_check CHECK ((risk = ANY (ARRAY['auto'::text, 'flexible'::text, 'precheck'::text, 'controlled'::text]))),
    CONSTRAINT trades_status_check CHECK ((status = ANY (ARRAY['awaiting_deposit'::text, 'deposit_detected'::text, 'confirming'::text, 'processing'::text, 'sending'::text, 'completed'::text, 'refunded'::text, 'failed'::text, 'expired'::text, 'hold'::text]))),
    CONSTRAINT trades_upstream CHECK (((wallet_from IS NOT NULL) OR ((reserved = (0)::numeric) AND (payout = (0)::numeric) AND (markup = 0) AND (commission_rate = (0)::numeric)))),
    CONSTRAINT trades_webhook CHECK (((NOT has_webhook) OR (key_id IS NOT NULL))),
    CONSTRAINT trades_window_seconds_check CHECK ((window_seconds > 0))
);


--
-- Name: TABLE trades; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.trades IS 'swaps at our own exchange, or filled by another provider; amounts are in whole coins';


--
-- Name: COLUMN trades.id_provider; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.id_provider IS 'the provider''s name of the swap; sw_… where we are the provider';


--
-- Name: COLUMN trades.key_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.key_id IS 'the key it was made with; null: without one';


--
-- Name: COLUMN trades.client_code; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.client_code IS 'who keeps inventory without a deposit: a keyed code of key or address; null once a deposit is settled';


--
-- Name: COLUMN trades.provider; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.provider IS 'who fills it';


--
-- Name: COLUMN trades.risk; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.risk IS 'how the route is labelled; see internal/trade';


--
-- Name: COLUMN trades.wallet_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.wallet_from IS 'the wallet that takes deposits; null when another provider fills the trade';


--
-- Name: COLUMN trades.wallet_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.wallet_to IS 'the wallet that pays; null when another provider fills the trade';


--
-- Name: COLUMN trades.network_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.network_from IS 'with the ticker it names a coin of the register';


--
-- Name: COLUMN trades.network_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.network_to IS 'with the ticker it names a coin of the register';


--
-- Name: COLUMN trades.amount_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.amount_from IS 'deposit that was announced';


--
-- Name: COLUMN trades.amount_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.amount_to IS 'what that deposit pays';


--
-- Name: COLUMN trades.rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.rate IS 'coin paid out per coin deposited, fees included; locked';


--
-- Name: COLUMN trades.markup; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.markup IS 'basis points of the rate that are credited to key_id';


--
-- Name: COLUMN trades.commission_rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.commission_rate IS 'coin paid out per coin deposited that is credited to key_id';


--
-- Name: COLUMN trades.min_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.min_from IS 'least that a deposit may be, locked at creation';


--
-- Name: COLUMN trades.max_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.max_from IS 'most that a deposit may be, locked at creation';


--
-- Name: COLUMN trades.confirmations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.confirmations IS 'depth of a deposit at which it counts';


--
-- Name: COLUMN trades.window_seconds; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.window_seconds IS 'seconds from creation in which a deposit must come';


--
-- Name: COLUMN trades.expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.expires_at IS 'end of the window';


--
-- Name: COLUMN trades.status_detail; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.status_detail IS 'a sentence on why it stands where it does; empty: nothing to say';


--
-- Name: COLUMN trades.reserved; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.reserved IS 'inventory of wallet_to that is kept for the payout: of amount_to, or of what the deposit pays once there is one';


--
-- Name: COLUMN trades.received; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.received IS 'amount of the deposit that the status follows; 0: none';


--
-- Name: COLUMN trades.payout; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.payout IS 'what that deposit pays; 0: nothing is paid';


--
-- Name: COLUMN trades.counted_deposit; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.counted_deposit IS 'the deposit that is settled as this trade''s, swapped or sent back; null: none yet';


--
-- Name: COLUMN trades.updated_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.updated_at IS 'when its status or amounts last changed';


--
-- Name: COLUMN trades.created_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.created_height IS 'number of blocks of the chain when it was made, as far as wallet_from was watched; money of before is not its own; null: unknown';


--
-- Name: COLUMN trades.details_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.details_sealed IS 'password, addresses, memos, note and webhook, see internal/tradedetails; AEAD, associated data trades:details:<id>';


--
-- Name: COLUMN trades.has_webhook; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trades.has_webhook IS 'a partner is notified of each status';


--
-- Name: removable_trades; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.removable_trades AS
 SELECT t.id
   FROM public.trades t
  WHERE ((t.status = ANY (ARRAY['completed'::text, 'refunded'::text, 'expired'::text])) AND (NOT (EXISTS ( SELECT 1
           FROM (public.trade_deposits d
             LEFT JOIN public.trade_payment_states x ON ((x.deposit_id = d.id)))
          WHERE ((d.trade_id = t.id) AND (NOT (((d.missing_at IS NULL) AND (NOT (x.state IS DISTINCT FROM 'confirmed'::text))) OR ((d.missing_at IS NOT NULL) AND (x.id IS NULL)))))))) AND (NOT (EXISTS ( SELECT 1
           FROM public.trade_orders o
          WHERE ((o.trade_id = t.id) AND (o.state = 'placed'::text) AND (o.closed_at IS NULL))))) AND (NOT (EXISTS ( SELECT 1
           FROM public.trade_events e
          WHERE ((e.trade_id = t.id) AND (e.delivery = 'pending'::text))))));


--
-- Name: VIEW removable_trades; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.removable_trades IS 'trades that may be removed once they are old enough: ended, every deposit answered by a confirmed transaction or gone before it was answered, no provider to be asked on, and nothing left to tell';


--
-- Name: reserved_inventory; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.reserved_inventory AS
 SELECT t.wallet_to AS wallet_id,
    t.reserved,
    (t.status = ANY (ARRAY['awaiting_deposit'::text, 'deposit_detected'::text])) AS unfunded
   FROM (public.trades t
     JOIN public.exchange_wallets w ON ((w.id = t.wallet_to)))
  WHERE ((t.reserved > (0)::numeric) AND (NOT ((t.status = 'sending'::text) AND (EXISTS ( SELECT 1
           FROM public.trade_payment_states x
          WHERE ((x.trade_id = t.id) AND (x.kind = 'payout'::text) AND (x.sent_at < w.balance_at)))))));


--
-- Name: VIEW reserved_inventory; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.reserved_inventory IS 'what trades reserve of the inventory; a payout that was sent before the balance was asked for is missing from the balance already and is not reserved twice; unfunded: a deposit without a confirmation can still be replaced, so it counts as none';


--
-- Name: sanctioned_addresses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sanctioned_addresses (
    list_id bigint NOT NULL,
    address text NOT NULL,
    asset text NOT NULL,
    CONSTRAINT sanctioned_addresses_address_check CHECK ((address <> ''::text))
);


--
-- Name: TABLE sanctioned_addresses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sanctioned_addresses IS 'addresses of the list in force and of the refused one; those of others are removed';


--
-- Name: COLUMN sanctioned_addresses.address; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctioned_addresses.address IS 'in the spelling of sanctions.Normalise';


--
-- Name: COLUMN sanctioned_addresses.asset; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctioned_addresses.asset IS 'the asset it is listed under; it is blocked for all';


--
-- Name: sanctions_lists; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sanctions_lists (
    id bigint NOT NULL,
    state text NOT NULL,
    digest bytea NOT NULL,
    entries integer NOT NULL,
    published_at timestamp with time zone,
    read_at timestamp with time zone NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    in_force_at timestamp with time zone,
    CONSTRAINT sanctions_lists_check CHECK (((state <> 'in_force'::text) OR (in_force_at IS NOT NULL))),
    CONSTRAINT sanctions_lists_digest_check CHECK ((length(digest) = 32)),
    CONSTRAINT sanctions_lists_entries_check CHECK ((entries > 0)),
    CONSTRAINT sanctions_lists_state_check CHECK ((state = ANY (ARRAY['in_force'::text, 'refused'::text, 'superseded'::text])))
);


--
-- Name: TABLE sanctions_lists; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sanctions_lists IS 'the sanctions lists that were read; rows stay as the record of what was in force when';


--
-- Name: COLUMN sanctions_lists.state; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.state IS 'refused: it lost more than half of the entries and waits for an operator';


--
-- Name: COLUMN sanctions_lists.digest; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.digest IS 'SHA-256 of the file';


--
-- Name: COLUMN sanctions_lists.entries; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.entries IS 'number of addresses';


--
-- Name: COLUMN sanctions_lists.published_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.published_at IS 'day of issue, as the list says; null when it does not';


--
-- Name: COLUMN sanctions_lists.read_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.read_at IS 'when it was first read';


--
-- Name: COLUMN sanctions_lists.checked_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.checked_at IS 'when the source last held exactly this list';


--
-- Name: COLUMN sanctions_lists.in_force_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sanctions_lists.in_force_at IS 'since when it is or was in force; null: it never was';


--
-- Name: sanctions_lists_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.sanctions_lists ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sanctions_lists_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: scoped_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scoped_keys (
    id text NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    label text NOT NULL,
    permissions text[] NOT NULL,
    key_hash bytea NOT NULL,
    prefix text NOT NULL,
    application_identifier text DEFAULT ''::text NOT NULL,
    redirect_host text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT scoped_keys_id_check CHECK ((id ~ '^sk_[0-9a-f]{24}$'::text)),
    CONSTRAINT scoped_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT scoped_keys_permissions_check CHECK ((cardinality(permissions) > 0))
);


--
-- Name: TABLE scoped_keys; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.scoped_keys IS 'keys that merchants gave to applications, each with what it may do';


--
-- Name: COLUMN scoped_keys.label; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.label IS 'what the merchant or the application calls it';


--
-- Name: COLUMN scoped_keys.permissions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.permissions IS 'see internal/scopedkey, in the order asked for';


--
-- Name: COLUMN scoped_keys.key_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';


--
-- Name: COLUMN scoped_keys.prefix; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.prefix IS 'first characters of the key, to be shown';


--
-- Name: COLUMN scoped_keys.application_identifier; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.application_identifier IS 'what the application calls itself when it connects; empty for a key made by hand';


--
-- Name: COLUMN scoped_keys.redirect_host; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.redirect_host IS 'host and port that the key was sent to; empty for a key that was shown';


--
-- Name: COLUMN scoped_keys.last_used_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.last_used_at IS 'to about a minute; null: never';


--
-- Name: COLUMN scoped_keys.revoked_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.scoped_keys.revoked_at IS 'null: the key is good';


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id text NOT NULL,
    merchant_id text NOT NULL,
    confirmed_until timestamp with time zone,
    token_version integer,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sessions_id_check CHECK ((id <> ''::text))
);


--
-- Name: TABLE sessions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sessions IS 'sessions that gave the password again, or that went on when all others ended, and logins for connecting an application that were answered';


--
-- Name: COLUMN sessions.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sessions.id IS 'claim jti of the token, or identifier of the login; no secret';


--
-- Name: COLUMN sessions.confirmed_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sessions.confirmed_until IS 'until when the password or the code that the session gave counts; null: it gave none since its token was issued';


--
-- Name: COLUMN sessions.token_version; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sessions.token_version IS 'version of the account that the session goes on with, though its token names an earlier one; null: what the token names';


--
-- Name: COLUMN sessions.expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sessions.expires_at IS 'when the token or the login ends';


--
-- Name: simulated_chains; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.simulated_chains (
    wallet_id text NOT NULL,
    charge_id text NOT NULL,
    height bigint NOT NULL,
    forks bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    changed bigint DEFAULT 0 NOT NULL,
    scanned bigint DEFAULT 0 NOT NULL,
    CONSTRAINT simulated_chains_height_check CHECK ((height > 0))
);


--
-- Name: TABLE simulated_chains; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.simulated_chains IS 'the chain of a simulated charge: each has its own, so that none gets deeper by another''s blocks';


--
-- Name: COLUMN simulated_chains.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.simulated_chains.height IS 'number of blocks';


--
-- Name: COLUMN simulated_chains.forks; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.simulated_chains.forks IS 'one for each reorganization: the height from which it replaced all blocks';


--
-- Name: COLUMN simulated_chains.changed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.simulated_chains.changed IS 'how often it was changed, scanned: up to which change the watcher has seen and told it';


--
-- Name: simulated_payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.simulated_payments (
    tx_hash text NOT NULL,
    wallet_id text NOT NULL,
    amount public.piconero NOT NULL,
    height bigint,
    dropped boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT simulated_payments_check CHECK (((NOT dropped) OR (height IS NULL)))
);


--
-- Name: TABLE simulated_payments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.simulated_payments IS 'what was paid to simulated charges; no coin moved';


--
-- Name: COLUMN simulated_payments.height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.simulated_payments.height IS 'block that holds it; null in the pool, or when it was dropped';


--
-- Name: staff; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.staff (
    merchant_id text NOT NULL,
    person_id text NOT NULL,
    role text NOT NULL,
    refunds_a_day public.piconero DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT staff_check CHECK ((merchant_id <> person_id)),
    CONSTRAINT staff_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'accountant'::text, 'cashier'::text, 'support'::text])))
);


--
-- Name: TABLE staff; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.staff IS 'who else may use a merchant''s desk: people have accounts of their own';


--
-- Name: COLUMN staff.merchant_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.staff.merchant_id IS 'the shop';


--
-- Name: COLUMN staff.person_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.staff.person_id IS 'the account of the person';


--
-- Name: COLUMN staff.role; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.staff.role IS 'what the person may do, see internal/staff';


--
-- Name: COLUMN staff.refunds_a_day; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.staff.refunds_a_day IS 'piconero: refunds that the person makes on one day (UTC) need no approval up to this sum';


--
-- Name: staff_invites; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.staff_invites (
    id text NOT NULL,
    merchant_id text NOT NULL,
    role text NOT NULL,
    refunds_a_day public.piconero DEFAULT 0 NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT staff_invites_id_check CHECK ((id ~ '^si_[0-9a-f]{24}$'::text)),
    CONSTRAINT staff_invites_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'accountant'::text, 'cashier'::text, 'support'::text])))
);


--
-- Name: TABLE staff_invites; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.staff_invites IS 'links with which people join a shop; the row goes when one did';


--
-- Name: COLUMN staff_invites.note; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.staff_invites.note IS 'whom the merchant means; empty: nothing was written';


--
-- Name: COLUMN staff_invites.token_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.staff_invites.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';


--
-- Name: swap_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.swap_keys (
    id text NOT NULL,
    class text NOT NULL,
    key_hash bytea NOT NULL,
    prefix text NOT NULL,
    secret_sealed bytea,
    markup_cap integer,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT swap_keys_check CHECK (((class = 'partner'::text) = (secret_sealed IS NOT NULL))),
    CONSTRAINT swap_keys_class_check CHECK ((class = ANY (ARRAY['affiliate'::text, 'partner'::text]))),
    CONSTRAINT swap_keys_id_check CHECK ((id ~ '^sk_[0-9a-f]{24}$'::text)),
    CONSTRAINT swap_keys_markup_cap_check CHECK (((markup_cap >= 0) AND (markup_cap <= 5000)))
);


--
-- Name: TABLE swap_keys; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.swap_keys IS 'who may call the swap exchange with a key';


--
-- Name: COLUMN swap_keys.class; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.class IS 'affiliate: anybody can get one; partner: made by an operator, with a secret and webhooks';


--
-- Name: COLUMN swap_keys.key_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';


--
-- Name: COLUMN swap_keys.prefix; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.prefix IS 'first characters of the key, to be shown';


--
-- Name: COLUMN swap_keys.secret_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.secret_sealed IS 'signs status webhooks; AEAD, associated data swap_keys:secret:<id>; null for affiliates';


--
-- Name: COLUMN swap_keys.markup_cap; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.markup_cap IS 'basis points; null stands for the cap of the class';


--
-- Name: COLUMN swap_keys.revoked_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.revoked_at IS 'null: in use';


--
-- Name: COLUMN swap_keys.last_used_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_keys.last_used_at IS 'to the day; at first when the key was made';


--
-- Name: swap_orders; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.swap_orders (
    swap_id text NOT NULL,
    merchant_id text NOT NULL,
    provider text NOT NULL,
    state text DEFAULT 'placing'::text NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    CONSTRAINT swap_orders_state_check CHECK ((state = ANY (ARRAY['placing'::text, 'placed'::text, 'refused'::text, 'uncertain'::text]))),
    CONSTRAINT swap_orders_swap_id_check CHECK ((swap_id ~ '^swp_[0-9a-f]{24}$'::text))
);


--
-- Name: TABLE swap_orders; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.swap_orders IS 'merchants'' orders at swap providers; a row is written before the order is sent, so that no order is sent twice; the swap is written with its answer';


--
-- Name: COLUMN swap_orders.swap_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_orders.swap_id IS 'given before the order is sent; the swap has it too';


--
-- Name: COLUMN swap_orders.state; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swap_orders.state IS 'refused: no such order exists, it may be sent again; uncertain: the provider may hold an order that nobody pays';


--
-- Name: swaps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.swaps (
    id text NOT NULL,
    merchant_id text NOT NULL,
    provider text NOT NULL,
    id_provider text NOT NULL,
    payout_id text,
    ticker_from text NOT NULL,
    network_from text NOT NULL,
    ticker_to text NOT NULL,
    network_to text NOT NULL,
    amount_from numeric NOT NULL,
    amount_expected numeric NOT NULL,
    rate numeric NOT NULL,
    deposit_address text NOT NULL,
    deposit_memo text,
    address_sealed bytea,
    refund_sealed bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    status text DEFAULT 'waiting'::text NOT NULL,
    status_detail text DEFAULT ''::text NOT NULL,
    word text DEFAULT ''::text NOT NULL,
    amount_to numeric,
    deposit_tx text DEFAULT ''::text NOT NULL,
    payout_tx text DEFAULT ''::text NOT NULL,
    refund_tx text DEFAULT ''::text NOT NULL,
    quiet_since timestamp with time zone NOT NULL,
    polled_at timestamp with time zone NOT NULL,
    heard_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT swaps_amount_expected_check CHECK ((amount_expected > (0)::numeric)),
    CONSTRAINT swaps_amount_from_check CHECK ((amount_from > (0)::numeric)),
    CONSTRAINT swaps_amount_to_check CHECK ((amount_to > (0)::numeric)),
    CONSTRAINT swaps_check CHECK ((expires_at > created_at)),
    CONSTRAINT swaps_check1 CHECK (((closed_at IS NULL) OR (status = ANY (ARRAY['finished'::text, 'failed'::text, 'refunded'::text])))),
    CONSTRAINT swaps_check2 CHECK (((closed_at IS NOT NULL) OR (status <> ALL (ARRAY['finished'::text, 'refunded'::text])))),
    CONSTRAINT swaps_id_check CHECK ((id ~ '^swp_[0-9a-f]{24}$'::text)),
    CONSTRAINT swaps_rate_check CHECK ((rate > (0)::numeric)),
    CONSTRAINT swaps_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'confirming'::text, 'exchanging'::text, 'sending'::text, 'finished'::text, 'failed'::text, 'refunded'::text])))
);


--
-- Name: TABLE swaps; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.swaps IS 'merchants'' swaps, each at a provider that takes the deposit and pays the destination: the coins never pass through this service; what was answered at creation never changes; amounts are in whole coins';


--
-- Name: COLUMN swaps.id_provider; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.id_provider IS 'the provider''s name of the swap';


--
-- Name: COLUMN swaps.payout_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.payout_id IS 'the payout whose transaction pays the deposit; null when the merchant pays it';


--
-- Name: COLUMN swaps.network_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.network_from IS 'with the ticker it names a coin of the register';


--
-- Name: COLUMN swaps.network_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.network_to IS 'with the ticker it names a coin of the register';


--
-- Name: COLUMN swaps.amount_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.amount_from IS 'what the provider expects as deposit';


--
-- Name: COLUMN swaps.amount_expected; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.amount_expected IS 'what the provider promised to pay';


--
-- Name: COLUMN swaps.rate; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.rate IS 'coin paid out per coin deposited, as promised';


--
-- Name: COLUMN swaps.deposit_address; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.deposit_address IS 'where the merchant, or the payout, pays the provider';


--
-- Name: COLUMN swaps.deposit_memo; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.deposit_memo IS 'must go with the deposit; null: none';


--
-- Name: COLUMN swaps.address_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.address_sealed IS 'destination; AEAD, associated data swaps:address:<id>; null once the account is deleted, or where the swap was recovered from a wallet''s journal';


--
-- Name: COLUMN swaps.refund_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.refund_sealed IS 'where the provider sends refunds; AEAD, associated data swaps:refund:<id>; null once the account is deleted, or where the swap was recovered from a wallet''s journal';


--
-- Name: COLUMN swaps.expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.expires_at IS 'until when the provider waits for the deposit';


--
-- Name: COLUMN swaps.status_detail; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.status_detail IS 'a sentence on why it stands where it does; empty: nothing to say';


--
-- Name: COLUMN swaps.word; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.word IS 'the provider''s last word for the state';


--
-- Name: COLUMN swaps.amount_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.amount_to IS 'what the provider says it pays; null: it says nothing yet';


--
-- Name: COLUMN swaps.deposit_tx; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.deposit_tx IS 'transaction hash, as the provider tells it; empty: not told';


--
-- Name: COLUMN swaps.payout_tx; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.payout_tx IS 'transaction hash, as the provider tells it; empty: not told';


--
-- Name: COLUMN swaps.refund_tx; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.refund_tx IS 'transaction hash, as the provider tells it; empty: not told';


--
-- Name: COLUMN swaps.quiet_since; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.quiet_since IS 'since when the provider, while it answers, says the same';


--
-- Name: COLUMN swaps.polled_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.polled_at IS 'when the provider was last asked';


--
-- Name: COLUMN swaps.heard_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.heard_at IS 'when the provider last answered';


--
-- Name: COLUMN swaps.closed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.swaps.closed_at IS 'since when it is not asked about any more; null: it is';


--
-- Name: trade_deposits_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.trade_deposits ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.trade_deposits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: trade_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.trade_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.trade_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: trade_payments_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.trade_payments ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.trade_payments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: trade_signal_version; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.trade_signal_version
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: trade_signals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade_signals (
    trade_id text NOT NULL,
    wallet_id text NOT NULL,
    version bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: TABLE trade_signals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.trade_signals IS 'trades to be notified that their facts changed: written with the facts, removed once Temporal has the signal';


--
-- Name: COLUMN trade_signals.version; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_signals.version IS 'of trade_signal_version, written anew with each change: a signal removes only the version it told of';


--
-- Name: COLUMN trade_signals.attempts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_signals.attempts IS 'signals that failed since the row was written';


--
-- Name: COLUMN trade_signals.next_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_signals.next_at IS 'when it is signalled next';


--
-- Name: COLUMN trade_signals.since; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.trade_signals.since IS 'when the row was written';


--
-- Name: unmatched_deposits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unmatched_deposits (
    wallet_id text NOT NULL,
    tx_hash text NOT NULL,
    address text NOT NULL,
    amount numeric NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT unmatched_deposits_amount_check CHECK ((amount > (0)::numeric))
);


--
-- Name: TABLE unmatched_deposits; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.unmatched_deposits IS 'seen before the address was a trade''s, or after the trade was removed; never counted for a trade';


--
-- Name: unseen_deposits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unseen_deposits (
    trade_id text NOT NULL,
    tx_hash text NOT NULL,
    address text NOT NULL,
    transaction_id bigint NOT NULL,
    kind text NOT NULL,
    wallet_id text NOT NULL,
    amount numeric NOT NULL,
    paid numeric NOT NULL,
    fee numeric NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT unseen_deposits_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT unseen_deposits_kind_check CHECK ((kind = ANY (ARRAY['payout'::text, 'refund'::text])))
);


--
-- Name: TABLE unseen_deposits; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.unseen_deposits IS 'rows of trade_payments to be, whose deposit has no row yet: what a transaction that was taken over has answered, before any watcher of this copy of the database saw it; once seen it is not answered again; amounts are in whole coins';


--
-- Name: COLUMN unseen_deposits.tx_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.tx_hash IS 'of the deposit';


--
-- Name: COLUMN unseen_deposits.address; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.address IS 'of the deposit';


--
-- Name: COLUMN unseen_deposits.transaction_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.transaction_id IS 'the transaction that answers it';


--
-- Name: COLUMN unseen_deposits.wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.wallet_id IS 'the wallet that pays';


--
-- Name: COLUMN unseen_deposits.amount; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.amount IS 'what a payout pays; a refund pays this less its chain fee';


--
-- Name: COLUMN unseen_deposits.paid; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.paid IS 'what arrives';


--
-- Name: COLUMN unseen_deposits.fee; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.unseen_deposits.fee IS 'its share of the transaction''s chain fee';


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id text NOT NULL,
    merchant_id text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    secret_sealed bytea NOT NULL,
    use_tor boolean DEFAULT false NOT NULL,
    dialect text DEFAULT 'durapay'::text NOT NULL,
    retries text DEFAULT 'short'::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    mode text,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT webhooks_check CHECK (((dialect = 'btcpay'::text) = (mode IS NOT NULL))),
    CONSTRAINT webhooks_dialect_check CHECK ((dialect = ANY (ARRAY['durapay'::text, 'btcpay'::text]))),
    CONSTRAINT webhooks_id_check CHECK ((id ~ '^wh_'::text)),
    CONSTRAINT webhooks_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT webhooks_retries_check CHECK ((retries = ANY (ARRAY['short'::text, 'long'::text, 'btcpay'::text, 'once'::text])))
);


--
-- Name: TABLE webhooks; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.webhooks IS 'where merchants are told';


--
-- Name: COLUMN webhooks.events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.events IS 'types that are delivered';


--
-- Name: COLUMN webhooks.secret_sealed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.secret_sealed IS 'AEAD, associated data webhooks:secret:<id>';


--
-- Name: COLUMN webhooks.use_tor; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.use_tor IS 'whether url is reached through Tor';


--
-- Name: COLUMN webhooks.dialect; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.dialect IS 'the shape of its deliveries: ours, or that of BTCPay Server';


--
-- Name: COLUMN webhooks.retries; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.retries IS 'its policy, see internal/webhook';


--
-- Name: COLUMN webhooks.enabled; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.enabled IS 'whether events are delivered to it';


--
-- Name: COLUMN webhooks.mode; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.mode IS 'the mode whose events it hears, that of the key that made it; null: both';


--
-- Name: COLUMN webhooks.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.deleted_at IS 'null: in use; a deleted one stays until its log is gone';


--
-- Name: witnesses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.witnesses (
    wallet_id text NOT NULL,
    begun_at timestamp with time zone,
    sends bigint DEFAULT 0 NOT NULL,
    addresses bigint DEFAULT 0 NOT NULL,
    lease_from bigint DEFAULT 0 NOT NULL,
    lease_to bigint DEFAULT 0 NOT NULL,
    lease_instance text,
    known_height bigint DEFAULT 0 NOT NULL,
    safe_since timestamp with time zone,
    safe_reason text,
    CONSTRAINT witnesses_addresses_check CHECK ((addresses >= 0)),
    CONSTRAINT witnesses_check CHECK ((lease_from <= lease_to)),
    CONSTRAINT witnesses_check1 CHECK ((lease_to <= addresses)),
    CONSTRAINT witnesses_check2 CHECK (((safe_since IS NULL) = (safe_reason IS NULL))),
    CONSTRAINT witnesses_known_height_check CHECK ((known_height >= 0)),
    CONSTRAINT witnesses_lease_from_check CHECK ((lease_from >= 0)),
    CONSTRAINT witnesses_sends_check CHECK ((sends >= 0))
);


--
-- Name: TABLE witnesses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.witnesses IS 'how far each wallet has come as this database knows it, to be compared with the marks that are kept outside of it';


--
-- Name: COLUMN witnesses.wallet_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.wallet_id IS 'of wallets or of exchange_wallets';


--
-- Name: COLUMN witnesses.begun_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.begun_at IS 'when the marks were first written outside of the database; null: never witnessed';


--
-- Name: COLUMN witnesses.sends; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.sends IS 'highest outgoing_transactions.seq for which the marks are known to be raised';


--
-- Name: COLUMN witnesses.addresses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.addresses IS 'highest index to which the mark of addresses may be raised: written before it is';


--
-- Name: COLUMN witnesses.lease_from; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.lease_from IS 'addresses with this index and below are handed out no more';


--
-- Name: COLUMN witnesses.lease_to; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.lease_to IS 'addresses above this index are not handed out yet: the mark is raised to here';


--
-- Name: COLUMN witnesses.lease_instance; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.lease_instance IS 'the instance of the database in which the marks were compared; in another one nothing is handed out or built; null: never compared';


--
-- Name: COLUMN witnesses.known_height; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.known_height IS 'everything that the wallet sent in lower blocks is known here';


--
-- Name: COLUMN witnesses.safe_since; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.safe_since IS 'the database is behind: nothing is built, sent for the first time or handed out; null: it is not in safe mode';


--
-- Name: COLUMN witnesses.safe_reason; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.witnesses.safe_reason IS 'a sentence for the operator; null as safe_since is';


--
-- Name: workflow_starts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workflow_starts (
    id text NOT NULL,
    kind text NOT NULL,
    merchant_id text NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT workflow_starts_kind_check CHECK ((kind = 'charge'::text)),
    CONSTRAINT workflow_starts_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text])))
);


--
-- Name: TABLE workflow_starts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.workflow_starts IS 'what was written and has no workflow yet: a row is written with what it is about, and goes once Temporal has the workflow';


--
-- Name: COLUMN workflow_starts.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.workflow_starts.id IS 'identifier of what the workflow is to carry';


--
-- Name: COLUMN workflow_starts.kind; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.workflow_starts.kind IS 'which workflow';


--
-- Name: COLUMN workflow_starts.created_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.workflow_starts.created_at IS 'by the database''s clock';


--
-- Data for Name: account_notices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.account_notices VALUES ('an_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'api_key', '\x0c', '2026-01-02 00:00:00+00', '2026-01-01 00:00:00+00', NULL);


--
-- Data for Name: acknowledged_sends; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.acknowledged_sends VALUES ('live', 'by hand', 'accepted', 'rent', '2026-01-02 00:00:00+00');


--
-- Data for Name: actions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.actions OVERRIDING SYSTEM VALUE VALUES (1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'support', 'createRefund', '/api/charges/ch_1/refunds', 200, '2026-01-01 00:00:00+00');


--
-- Data for Name: addresses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.addresses VALUES ('live', 1, 'address 1', 'ch_111111111111111111111111');
INSERT INTO public.addresses VALUES ('live', 2, 'address 2', 'ch_222222222222222222222222');
INSERT INTO public.addresses VALUES ('live', 3, 'address 3', NULL);


--
-- Data for Name: alerts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alerts OVERRIDING SYSTEM VALUE VALUES (1, 'payout_stuck', 'po_111111111111111111111111', 'the daemon refuses it', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00', 'sent by hand');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', '\x06', 'live_', '2026-01-01 00:00:00+00');


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit OVERRIDING SYSTEM VALUE VALUES (1, '2026-01-05 00:00:00+00', 'cli:ann', 'suspend', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'on');


--
-- Data for Name: backup_codes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.backup_codes VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\x07');


--
-- Data for Name: business_notices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.business_notices OVERRIDING SYSTEM VALUE VALUES (1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'charge_paid', 'ch_111111111111111111111111', 1, 5, 'daily', '2026-01-01 00:00:00+00', 'nm_111111111111111111111111');


--
-- Data for Name: chain_checkpoints; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chain_checkpoints VALUES ('live', 900, 'deep');


--
-- Data for Name: charge_signals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.charge_signals VALUES ('ch_111111111111111111111111', 'live', 1, 2, '2026-01-02 00:00:00+00', '2026-01-01 00:00:00+00');


--
-- Data for Name: charges; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.charges VALUES ('ch_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 'api', NULL, 'live', 1, 'address 1', 123.45, 'EUR', 700000000001, 693000000001, 176.357, '2026-01-01 00:00:00+00', 'confirmed', 12, '{"a": 1.0}', 'order', 'Cup', 'https://shop.example/', '{name}', false, '2026-02-01 00:00:00+00', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', true, '2026-01-01 01:00:00+00', '2026-01-03 00:00:00+00', true, true, 'po_111111111111111111111111', '2026-01-02 00:00:00+00', true, 900, NULL, NULL, NULL, NULL, NULL, 'New', NULL);
INSERT INTO public.charges VALUES ('ch_222222222222222222222222', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 'button', 'pr_111111111111111111111111', 'live', 2, 'address 2', 10000000, 'XMR', 10000000000000000000, 10000000000000000000, NULL, NULL, 'pending', 10, '{}', NULL, NULL, NULL, '{}', true, NULL, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', false, NULL, NULL, false, false, NULL, NULL, false, NULL, '\x10', '\x11', NULL, NULL, NULL, 'New', NULL);
INSERT INTO public.charges VALUES ('ch_333333333333333333333333', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'sandbox', 'api', NULL, 'sandbox', 1, 'sandbox address 1', 1, 'XMR', 1000000000000, 1000000000000, NULL, NULL, 'expired', 10, '{}', NULL, NULL, NULL, '{}', true, NULL, '2031-01-01 00:00:00+00', '2031-01-01 01:00:00+00', false, NULL, NULL, false, false, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, 'New', 'clock_111111111111111111111111');


--
-- Data for Name: commissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.commissions VALUES ('33333333333333333333333333333333', 'sk_111111111111111111111111', 'ltc', 'Mainnet', 0.01, '2026-01-01 00:00:00+00');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES ('whd_111111111111111111111111', 'wh_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 1, 'delivered', 200, 2, 1, 1, 'slow', '2026-01-03 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00', '2026-01-04 00:00:00+00');


--
-- Data for Name: email_verifications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.email_verifications VALUES ('em_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\x08', '\x09', '\x0a', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL);


--
-- Data for Name: event_feeds; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.event_feeds VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 1);


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 'charge.confirmed', 'ch_111111111111111111111111', '', '{"a": 1.0}', '2026-01-03 00:00:00+00', true, 1);


--
-- Data for Name: exchange_addresses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_addresses OVERRIDING SYSTEM VALUE VALUES ('xmr', 'deposit 1', '1', '11111111111111111111111111111111', 1, 1);
INSERT INTO public.exchange_addresses OVERRIDING SYSTEM VALUE VALUES ('ltc', 'deposit 2', 'm/0/2', NULL, 2, 2);


--
-- Data for Name: exchange_wallets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_wallets VALUES ('xmr', 'xmr', 'Mainnet', 12, 10.000000000001, 11, 0.0001, 1000, 'top', '2026-01-01 00:00:00+00', 940, 'settled', true, '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00', true);
INSERT INTO public.exchange_wallets VALUES ('ltc', 'ltc', 'Mainnet', 8, 5, 6, 0.00001, 2000, 'top', '2026-01-01 00:00:00+00', 1940, 'settled', false, '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00', false);


--
-- Data for Name: fee_tiers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fee_tiers VALUES (100000000000000, 0.004);


--
-- Data for Name: goose_db_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.goose_db_version VALUES (1, 0, true, '2026-11-24 03:40:01.5278');
INSERT INTO public.goose_db_version VALUES (2, 1, true, '2026-11-24 03:40:01.541647');
INSERT INTO public.goose_db_version VALUES (3, 2, true, '2026-11-24 03:40:01.552962');
INSERT INTO public.goose_db_version VALUES (4, 3, true, '2026-11-24 03:40:01.572652');
INSERT INTO public.goose_db_version VALUES (5, 4, true, '2026-11-24 03:40:01.625019');
INSERT INTO public.goose_db_version VALUES (6, 5, true, '2026-11-24 03:40:01.633192');
INSERT INTO public.goose_db_version VALUES (7, 6, true, '2026-11-24 03:40:01.683024');
INSERT INTO public.goose_db_version VALUES (8, 7, true, '2026-11-24 03:40:01.70613');
INSERT INTO public.goose_db_version VALUES (9, 8, true, '2026-11-24 03:40:01.735674');
INSERT INTO public.goose_db_version VALUES (10, 9, true, '2026-11-24 03:40:01.750945');
INSERT INTO public.goose_db_version VALUES (11, 10, true, '2026-11-24 03:40:01.757036');
INSERT INTO public.goose_db_version VALUES (12, 11, true, '2026-11-24 03:40:01.767624');
INSERT INTO public.goose_db_version VALUES (13, 12, true, '2026-11-24 03:40:01.777193');
INSERT INTO public.goose_db_version VALUES (14, 13, true, '2026-11-24 03:40:01.793576');
INSERT INTO public.goose_db_version VALUES (15, 14, true, '2026-11-24 03:40:01.810658');
INSERT INTO public.goose_db_version VALUES (16, 15, true, '2026-11-24 03:40:01.874446');
INSERT INTO public.goose_db_version VALUES (17, 16, true, '2026-11-24 03:40:01.913984');
INSERT INTO public.goose_db_version VALUES (18, 17, true, '2026-11-24 03:40:01.922148');
INSERT INTO public.goose_db_version VALUES (19, 18, true, '2026-11-24 03:40:01.924152');
INSERT INTO public.goose_db_version VALUES (20, 19, true, '2026-11-24 03:40:01.940501');
INSERT INTO public.goose_db_version VALUES (21, 20, true, '2026-11-24 03:40:01.954386');
INSERT INTO public.goose_db_version VALUES (22, 21, true, '2026-11-24 03:40:01.965861');
INSERT INTO public.goose_db_version VALUES (23, 22, true, '2026-11-24 03:40:01.990666');
INSERT INTO public.goose_db_version VALUES (24, 23, true, '2026-11-24 03:40:02.011548');
INSERT INTO public.goose_db_version VALUES (25, 24, true, '2026-11-24 03:40:02.016195');


--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_keys VALUES ('sk_111111111111111111111111', '\x1e', '\x1f', '11111111111111111111111111111111', '\x20', '2026-01-01 00:00:00+00');


--
-- Data for Name: invites; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invites VALUES ('in_111111111111111111111111', '\x0b', 'for Shop', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', '2026-01-01 00:00:00+00', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');


--
-- Data for Name: ledger; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ledger VALUES ('ch_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00', 123.45, 'EUR', 700000000001, 700000000001, 'order', 123.45, 'EUR', 176.357);


--
-- Data for Name: login_failures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_failures VALUES ('\x02', 3, '2026-01-02 00:00:00+00', '2026-01-01 00:00:00+00');


--
-- Data for Name: login_ip_failures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_ip_failures VALUES ('192.0.2.1', 4, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00');


--
-- Data for Name: login_networks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_networks VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\x2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b', '2026-01-01 00:00:00+00');


--
-- Data for Name: merchants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.merchants OVERRIDING SYSTEM VALUE VALUES (1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\x01', '\x02', 'Shop', 'mail', 'hash', 2, 'live', 'sandbox', '\x03', '8…x', 0.005, 12, 1.5, '2026-01-03 00:00:00+00', '2026-01-01 00:00:00+00', true, 'EUR', '2026-01-02 00:00:00+00', '\x04', '2026-01-02 00:00:00+00', '{58000000}', NULL, true, true, 'usdt', 'TRC20', '\x05', 'T…y', 500, '2026-01-09 00:00:00+00', '2026-01-04 00:00:00+00', 0, false);
INSERT INTO public.merchants OVERRIDING SYSTEM VALUE VALUES (2, 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', NULL, NULL, 'Gone', '', 'hash', 1, 'live', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, '2026-01-01 00:00:00+00', false, 'USD', NULL, NULL, NULL, '{}', '2026-01-05 00:00:00+00', false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, false);


--
-- Data for Name: notice_choices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notice_choices VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'charge_paid', 'daily');


--
-- Data for Name: notice_mails; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notice_mails VALUES ('nm_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00');


--
-- Data for Name: outgoing_sequences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outgoing_sequences VALUES ('live', 1);
INSERT INTO public.outgoing_sequences VALUES ('ltc', 2);


--
-- Data for Name: outgoing_transactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outgoing_transactions VALUES (1, 'live', 'payout', 'po_111111111111111111111111', '{}', 'confirmed', NULL, 1, 'payout', '\x21', '{image}', 0.696000000001, 0.0005, '\x22', NULL, 970, '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00', NULL, NULL);
INSERT INTO public.outgoing_transactions VALUES (2, 'ltc', 'trade_payout', NULL, '{11111111111111111111111111111111}', 'abandoned', NULL, 1, 'given up', '\x23', '{coin}', 2, 0.00001, '\x24', 1990, NULL, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', NULL, '2026-01-03 00:00:00+00', 'cli:ann');
INSERT INTO public.outgoing_transactions VALUES (3, 'ltc', 'trade_payout', NULL, '{11111111111111111111111111111111}', 'failed', 'refused', 2, 'trade payout', '\x25', '{coin}', 2, 0.00001, '\x26', NULL, NULL, '2026-01-03 00:00:00+00', '2026-01-03 00:00:00+00', NULL, NULL, NULL, NULL);


--
-- Data for Name: password_resets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.password_resets VALUES ('rs_111111111111111111111111', '\x02', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\x0d', '\x0e', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL);


--
-- Data for Name: payment_requests; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_requests VALUES ('pr_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 12.5, 'USD', 'Cup', 'invoice', true, '{name}', '2026-02-01 00:00:00+00', false, 1, '2026-01-02 00:00:00+00', '2026-01-01 00:00:00+00');


--
-- Data for Name: payouts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payouts VALUES ('po_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 'confirmed', '\x13', '8…x', 700000000001, 0.005, 3500000000, 500000000, 696000000001, 1, 2, 'payout', 970, NULL, '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00', 'usdt', 'TRC20', NULL, 'swp_111111111111111111111111', NULL, 0);
INSERT INTO public.payouts VALUES ('po_222222222222222222222222', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 'failed', '\x14', '8…x', 1, 0.005, 0, 0, 0, 1, 1, NULL, NULL, 'no wallet', '2026-01-04 00:00:00+00', NULL, NULL, NULL, 'usdt', 'TRC20', '\x15', NULL, NULL, 0);


--
-- Data for Name: pending_charges; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pending_charges VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 9, 1);


--
-- Data for Name: rate_counts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_counts VALUES ('charges', '\x0f', '2026-01-01 00:00:00+00', 7);


--
-- Data for Name: received_payments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.received_payments OVERRIDING SYSTEM VALUE VALUES (1, 'live', 'paid', 1, 'ch_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 700000000001, 2, 950, 940, '2026-01-01 00:00:00+00', 962, true, '2026-01-01 00:00:00+00', NULL, 'po_111111111111111111111111', NULL, NULL, true, 700000000000);
INSERT INTO public.received_payments OVERRIDING SYSTEM VALUE VALUES (2, 'live', 'unmatched', 9, NULL, NULL, 1, 1, NULL, 0, NULL, NULL, false, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL, '2026-01-03 00:00:00+00', 'sent back', false, NULL);


--
-- Data for Name: refund_claims; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refund_claims VALUES ('rc_111111111111111111111111', 'rf_111111111111111111111111', 'awaiting_payment', 100000000000, '\x32', '4…y', NULL, 'money', 100100000000, 1, NULL, '2026-01-05 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', NULL, NULL);
INSERT INTO public.refund_claims VALUES ('rc_222222222222222222222222', 'rf_111111111111111111111111', 'completed', 100000000000, '\x33', '4…y', '\x34', NULL, 0, 0, NULL, '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00');


--
-- Data for Name: refunds; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refunds VALUES ('rf_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'ch_111111111111111111111111', 'awaiting_payment', 'Fiat', 200000000000, 35.27, 'EUR', 'Order', 'Late', true, '\x3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', '\x31', '2026-01-04 00:00:00+00', '2026-02-04 00:00:00+00', NULL, 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb');


--
-- Data for Name: sanctioned_addresses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sanctioned_addresses VALUES (1, 'listed', 'XBT');


--
-- Data for Name: sanctions_lists; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sanctions_lists OVERRIDING SYSTEM VALUE VALUES (1, 'in_force', '\xa330395cc0a53ad1207736546afff4735940937564bbf75ce1edad40780d9139', 1, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00', '2026-01-02 00:00:00+00');


--
-- Data for Name: scoped_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scoped_keys VALUES ('sk_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', 'Shop', '{btcpay.store.canviewinvoices}', '\x3f', 'dk_live_0123', 'shop', 'shop.example', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00');


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('session', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '2026-01-02 00:00:00+00', 2, '2026-01-03 00:00:00+00');


--
-- Data for Name: simulated_chains; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.simulated_chains VALUES ('simulated-ch_5555555555555555555555aa', 'ch_5555555555555555555555aa', 103, '{101}', 2, 1);


--
-- Data for Name: simulated_payments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.simulated_payments VALUES ('5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d', 'simulated-ch_5555555555555555555555aa', 1000000000000, 101, false, '2026-11-23 12:00:00+00');


--
-- Data for Name: staff; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.staff VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'support', 5, '2026-01-01 00:00:00+00');


--
-- Data for Name: staff_invites; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.staff_invites VALUES ('si_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'cashier', 0, 'Saturdays', '\x2c', '2026-01-01 00:00:00+00', '2026-01-08 00:00:00+00');


--
-- Data for Name: swap_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.swap_keys VALUES ('sk_111111111111111111111111', 'partner', '\x18', 'par_', '\x19', 100, '2026-01-01 00:00:00+00', '2026-01-09 00:00:00+00', '2026-01-08 00:00:00+00');


--
-- Data for Name: swap_orders; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.swap_orders VALUES ('swp_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'other', 'placed', '2026-01-04 00:00:00+00');


--
-- Data for Name: swaps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.swaps VALUES ('swp_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'other', 'order', 'po_111111111111111111111111', 'xmr', 'Mainnet', 'usdt', 'TRC20', 0.696000000001, 122.123456, 175.46, 'deposit', 'memo', '\x16', '\x17', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00', 'finished', 'done', 'FINISHED', 122.1, 'payout', 'paid out', 'refunded', '2026-01-04 00:00:00+00', '2026-01-05 00:00:00+00', '2026-01-05 00:00:00+00', '2026-01-06 00:00:00+00', '2026-01-05 00:00:00+00');


--
-- Data for Name: test_clocks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.test_clocks VALUES ('clock_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'checkout', 'advancing', '2031-01-01 00:00:00+00', '2031-01-02 00:00:00+00', '2030-12-31 00:00:00+00', 'made', 'moved', '2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00', '2026-01-02 00:00:00+00');


--
-- Data for Name: trade_deposits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade_deposits OVERRIDING SYSTEM VALUE VALUES (1, '11111111111111111111111111111111', 'xmr', 'deposit', 'deposit 1', 1, 950, 12, true, true, true, '2026-01-01 00:00:00+00', NULL, true, 940, '2026-01-01 00:00:00+00', 10, 960, true, '2026-01-01 00:00:00+00', 0.9, '2026-01-02 00:00:00+00', '\x1d', 3);
INSERT INTO public.trade_deposits OVERRIDING SYSTEM VALUE VALUES (2, '11111111111111111111111111111111', 'xmr', 'dropped', 'deposit 1', 2, NULL, 0, false, false, false, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', false, 0, NULL, 0, NULL, false, NULL, NULL, NULL, NULL, 0);


--
-- Data for Name: trade_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade_events OVERRIDING SYSTEM VALUE VALUES (1, '11111111111111111111111111111111', 'sending', 'processing', '2026-01-02 00:00:00+00', '{"a": 1.0}', 'delivered', '2026-01-02 00:00:00+00', 2, 1, 200, 'slow', '2026-01-03 00:00:00+00', '2026-01-04 00:00:00+00', '2026-01-03 00:00:00+00');


--
-- Data for Name: trade_orders; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade_orders VALUES ('22222222222222222222222222222222', 'other', 'placed', 'order', 'WAITING', 0.005, 'deposit', 'payout', 'refund', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00');


--
-- Data for Name: trade_payments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade_payments VALUES (1, '11111111111111111111111111111111', 1, 'payout', 'ltc', 2, NULL, 3, 2, 0.00001, '2026-01-02 00:00:00+00', false);
INSERT INTO public.trade_payments VALUES (2, '11111111111111111111111111111111', 2, 'refund', 'xmr', 2, 'too small', NULL, NULL, NULL, '2026-01-02 00:00:00+00', true);


--
-- Data for Name: trade_signals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade_signals VALUES ('11111111111111111111111111111111', 'xmr', 1, 2, '2026-01-02 00:00:00+00', '2026-01-01 00:00:00+00');


--
-- Data for Name: trades; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trades VALUES ('22222222222222222222222222222222', 'order', NULL, '\x1b', 'other', 'auto', NULL, NULL, 'xmr', 'Mainnet', 'btc', 'Mainnet', 1, 0.005, 0.005, 0, 0, 0.05, 20, 'deposit at other', 10, '2026-01-01 00:00:00+00', 3600, '2026-01-01 01:00:00+00', 'awaiting_deposit', '', 0, 0, 0, NULL, '2026-01-01 00:00:00+00', NULL, '\x1c', false);
INSERT INTO public.trades VALUES ('11111111111111111111111111111111', 'sw_111111111111111111111111', 'sk_111111111111111111111111', NULL, 'durapay', 'precheck', 'xmr', 'ltc', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2, 50, 0.01, 0.05, 20, 'deposit 1', 10, '2026-01-01 00:00:00+00', 3600, '2026-01-01 01:00:00+00', 'sending', 'on its way', 2, 1, 2, 1, '2026-01-02 00:00:00+00', 900, '\x1a', true);


--
-- Data for Name: unmatched_deposits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unmatched_deposits VALUES ('xmr', 'stray', 'deposit 9', 0.5, '2026-01-01 00:00:00+00');


--
-- Data for Name: unseen_deposits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unseen_deposits VALUES ('11111111111111111111111111111111', 'unseen', 'deposit 1', 3, 'payout', 'ltc', 2, 2, 0.00001, '2026-01-02 00:00:00+00');


--
-- Data for Name: wallets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets VALUES ('simulated', 'sandbox', 'simulated', '2026-11-24 03:40:01.940501+00', 0, '', NULL, 0, '', false, true);
INSERT INTO public.wallets VALUES ('live', 'live', 'primary of live', '2026-01-01 00:00:00+00', 1000, 'top', '2026-01-02 00:00:00+00', 940, 'settled', true, false);
INSERT INTO public.wallets VALUES ('sandbox', 'sandbox', 'primary of sandbox', '2026-01-01 00:00:00+00', 1000, 'top', '2026-01-02 00:00:00+00', 940, 'settled', false, false);
INSERT INTO public.wallets VALUES ('simulated-ch_5555555555555555555555aa', 'sandbox', 'address of a simulated charge', '2026-11-24 03:40:02.341752+00', 100, '', NULL, 0, '', false, true);


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES ('wh_111111111111111111111111', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'https://shop.example/hook', '{charge.confirmed}', '\x12', true, 'durapay', 'short', true, NULL, '2026-01-01 00:00:00+00', '2026-01-09 00:00:00+00');


--
-- Data for Name: witnesses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.witnesses VALUES ('live', '2026-01-01 00:00:00+00', 1, 50, 10, 40, 'instance', 990, '2026-01-02 00:00:00+00', 'restored');


--
-- Data for Name: workflow_starts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.workflow_starts VALUES ('ch_111111111111111111111111', 'charge', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'live', '2026-01-01 00:00:00+00');


--
-- Name: actions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.actions_id_seq', 1, true);


--
-- Name: alerts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.alerts_id_seq', 1, true);


--
-- Name: audit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_id_seq', 1, true);


--
-- Name: business_notices_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.business_notices_id_seq', 1, true);


--
-- Name: charge_signal_version; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.charge_signal_version', 1, true);


--
-- Name: events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.events_id_seq', 1, true);


--
-- Name: exchange_addresses_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_addresses_id_seq', 2, true);


--
-- Name: goose_db_version_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.goose_db_version_id_seq', 25, true);


--
-- Name: merchants_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.merchants_id_seq', 2, true);


--
-- Name: outgoing_transactions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.outgoing_transactions_id_seq', 3, true);


--
-- Name: received_payments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.received_payments_id_seq', 2, true);


--
-- Name: sanctions_lists_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.sanctions_lists_id_seq', 1, true);


--
-- Name: trade_deposits_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.trade_deposits_id_seq', 2, true);


--
-- Name: trade_events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.trade_events_id_seq', 1, true);


--
-- Name: trade_payments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.trade_payments_id_seq', 2, true);


--
-- Name: trade_signal_version; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.trade_signal_version', 1, true);


--
-- Name: account_notices account_notices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account_notices
    ADD CONSTRAINT account_notices_pkey PRIMARY KEY (id);


--
-- Name: acknowledged_sends acknowledged_sends_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.acknowledged_sends
    ADD CONSTRAINT acknowledged_sends_pkey PRIMARY KEY (wallet_id, tx_hash);


--
-- Name: actions actions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_pkey PRIMARY KEY (id);


--
-- Name: addresses addresses_address_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_address_key UNIQUE (address);


--
-- Name: addresses addresses_charge_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_charge_id_key UNIQUE (charge_id);


--
-- Name: addresses addresses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_pkey PRIMARY KEY (wallet_id, subaddress_index);


--
-- Name: alerts alerts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (id);


--
-- Name: api_keys api_keys_key_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (merchant_id, mode);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);


--
-- Name: backup_codes backup_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.backup_codes
    ADD CONSTRAINT backup_codes_pkey PRIMARY KEY (merchant_id, code_hash);


--
-- Name: business_notices business_notices_kind_resource_id_part_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.business_notices
    ADD CONSTRAINT business_notices_kind_resource_id_part_key UNIQUE (kind, resource_id, part);


--
-- Name: business_notices business_notices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.business_notices
    ADD CONSTRAINT business_notices_pkey PRIMARY KEY (id);


--
-- Name: chain_checkpoints chain_checkpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_checkpoints
    ADD CONSTRAINT chain_checkpoints_pkey PRIMARY KEY (wallet_id, height);


--
-- Name: charge_signals charge_signals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charge_signals
    ADD CONSTRAINT charge_signals_pkey PRIMARY KEY (charge_id);


--
-- Name: charges charges_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_pkey PRIMARY KEY (id);


--
-- Name: charges charges_wallet_id_subaddress_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_wallet_id_subaddress_index_key UNIQUE (wallet_id, subaddress_index);


--
-- Name: commissions commissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commissions
    ADD CONSTRAINT commissions_pkey PRIMARY KEY (trade_id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);


--
-- Name: deliveries deliveries_webhook_id_event_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_webhook_id_event_id_key UNIQUE (webhook_id, event_id);


--
-- Name: email_verifications email_verifications_merchant_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_verifications
    ADD CONSTRAINT email_verifications_merchant_id_key UNIQUE (merchant_id);


--
-- Name: email_verifications email_verifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_verifications
    ADD CONSTRAINT email_verifications_pkey PRIMARY KEY (id);


--
-- Name: email_verifications email_verifications_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_verifications
    ADD CONSTRAINT email_verifications_token_hash_key UNIQUE (token_hash);


--
-- Name: event_feeds event_feeds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_feeds
    ADD CONSTRAINT event_feeds_pkey PRIMARY KEY (merchant_id, mode);


--
-- Name: events events_merchant_id_mode_place_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_merchant_id_mode_place_key UNIQUE (merchant_id, mode, place);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);


--
-- Name: events events_resource_id_type_part_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_resource_id_type_part_key UNIQUE (resource_id, type, part);


--
-- Name: exchange_addresses exchange_addresses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_addresses
    ADD CONSTRAINT exchange_addresses_pkey PRIMARY KEY (wallet_id, address);


--
-- Name: exchange_addresses exchange_addresses_trade_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_addresses
    ADD CONSTRAINT exchange_addresses_trade_id_key UNIQUE (trade_id);


--
-- Name: exchange_wallets exchange_wallets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_wallets
    ADD CONSTRAINT exchange_wallets_pkey PRIMARY KEY (id);


--
-- Name: exchange_wallets exchange_wallets_ticker_network_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_wallets
    ADD CONSTRAINT exchange_wallets_ticker_network_key UNIQUE (ticker, network);


--
-- Name: fee_tiers fee_tiers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fee_tiers
    ADD CONSTRAINT fee_tiers_pkey PRIMARY KEY (volume_from);


--
-- Name: goose_db_version goose_db_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key_hash);


--
-- Name: idempotency_keys idempotency_keys_trade_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_trade_id_key UNIQUE (trade_id);


--
-- Name: invites invites_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (id);


--
-- Name: invites invites_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_token_hash_key UNIQUE (token_hash);


--
-- Name: ledger ledger_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (charge_id);


--
-- Name: login_failures login_failures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_failures
    ADD CONSTRAINT login_failures_pkey PRIMARY KEY (email_index);


--
-- Name: login_ip_failures login_ip_failures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_ip_failures
    ADD CONSTRAINT login_ip_failures_pkey PRIMARY KEY (ip);


--
-- Name: login_networks login_networks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_networks
    ADD CONSTRAINT login_networks_pkey PRIMARY KEY (merchant_id, network);


--
-- Name: merchants merchants_email_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_email_index_key UNIQUE (email_index);


--
-- Name: merchants merchants_merchant_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_merchant_id_key UNIQUE (merchant_id);


--
-- Name: merchants merchants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_pkey PRIMARY KEY (id);


--
-- Name: notice_choices notice_choices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice_choices
    ADD CONSTRAINT notice_choices_pkey PRIMARY KEY (merchant_id, kind);


--
-- Name: notice_mails notice_mails_merchant_id_digest_at_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice_mails
    ADD CONSTRAINT notice_mails_merchant_id_digest_at_key UNIQUE (merchant_id, digest_at);


--
-- Name: notice_mails notice_mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice_mails
    ADD CONSTRAINT notice_mails_pkey PRIMARY KEY (id);


--
-- Name: outgoing_sequences outgoing_sequences_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outgoing_sequences
    ADD CONSTRAINT outgoing_sequences_pkey PRIMARY KEY (wallet_id);


--
-- Name: outgoing_transactions outgoing_transactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outgoing_transactions
    ADD CONSTRAINT outgoing_transactions_pkey PRIMARY KEY (id);


--
-- Name: outgoing_transactions outgoing_transactions_tx_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outgoing_transactions
    ADD CONSTRAINT outgoing_transactions_tx_hash_key UNIQUE (tx_hash);


--
-- Name: outgoing_transactions outgoing_transactions_wallet_id_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outgoing_transactions
    ADD CONSTRAINT outgoing_transactions_wallet_id_seq_key UNIQUE (wallet_id, seq);


--
-- Name: password_resets password_resets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (id);


--
-- Name: password_resets password_resets_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_token_hash_key UNIQUE (token_hash);


--
-- Name: payment_requests payment_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_requests
    ADD CONSTRAINT payment_requests_pkey PRIMARY KEY (id);


--
-- Name: payouts payouts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payouts
    ADD CONSTRAINT payouts_pkey PRIMARY KEY (id);


--
-- Name: payouts payouts_swap_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payouts
    ADD CONSTRAINT payouts_swap_id_key UNIQUE (swap_id);


--
-- Name: payouts payouts_tx_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payouts
    ADD CONSTRAINT payouts_tx_hash_key UNIQUE (tx_hash);


--
-- Name: pending_charges pending_charges_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_charges
    ADD CONSTRAINT pending_charges_pkey PRIMARY KEY (merchant_id, shard);


--
-- Name: rate_counts rate_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_counts
    ADD CONSTRAINT rate_counts_pkey PRIMARY KEY (bucket, key_hash, window_start);


--
-- Name: received_payments received_payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.received_payments
    ADD CONSTRAINT received_payments_pkey PRIMARY KEY (id);


--
-- Name: received_payments received_payments_wallet_id_tx_hash_subaddress_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.received_payments
    ADD CONSTRAINT received_payments_wallet_id_tx_hash_subaddress_index_key UNIQUE (wallet_id, tx_hash, subaddress_index);


--
-- Name: refund_claims refund_claims_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_claims
    ADD CONSTRAINT refund_claims_pkey PRIMARY KEY (id);


--
-- Name: refunds refunds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (id);


--
-- Name: sanctioned_addresses sanctioned_addresses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sanctioned_addresses
    ADD CONSTRAINT sanctioned_addresses_pkey PRIMARY KEY (list_id, address);


--
-- Name: sanctions_lists sanctions_lists_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sanctions_lists
    ADD CONSTRAINT sanctions_lists_pkey PRIMARY KEY (id);


--
-- Name: scoped_keys scoped_keys_key_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scoped_keys
    ADD CONSTRAINT scoped_keys_key_hash_key UNIQUE (key_hash);


--
-- Name: scoped_keys scoped_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scoped_keys
    ADD CONSTRAINT scoped_keys_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);


--
-- Name: simulated_chains simulated_chains_charge_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.simulated_chains
    ADD CONSTRAINT simulated_chains_charge_id_key UNIQUE (charge_id);


--
-- Name: simulated_chains simulated_chains_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.simulated_chains
    ADD CONSTRAINT simulated_chains_pkey PRIMARY KEY (wallet_id);


--
-- Name: simulated_payments simulated_payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.simulated_payments
    ADD CONSTRAINT simulated_payments_pkey PRIMARY KEY (tx_hash);


--
-- Name: staff_invites staff_invites_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staff_invites
    ADD CONSTRAINT staff_invites_pkey PRIMARY KEY (id);


--
-- Name: staff_invites staff_invites_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staff_invites
    ADD CONSTRAINT staff_invites_token_hash_key UNIQUE (token_hash);


--
-- Name: staff staff_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staff
    ADD CONSTRAINT staff_pkey PRIMARY KEY (merchant_id, person_id);


--
-- Name: swap_keys swap_keys_key_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swap_keys
    ADD CONSTRAINT swap_keys_key_hash_key UNIQUE (key_hash);


--
-- Name: swap_keys swap_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swap_keys
    ADD CONSTRAINT swap_keys_pkey PRIMARY KEY (id);


--
-- Name: swap_orders swap_orders_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swap_orders
    ADD CONSTRAINT swap_orders_pkey PRIMARY KEY (swap_id);


--
-- Name: swaps swaps_id_provider_provider_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps
    ADD CONSTRAINT swaps_id_provider_provider_key UNIQUE (id_provider, provider);


--
-- Name: swaps swaps_payout_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps
    ADD CONSTRAINT swaps_payout_id_key UNIQUE (payout_id);


--
-- Name: swaps swaps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps
    ADD CONSTRAINT swaps_pkey PRIMARY KEY (id);


--
-- Name: test_clocks test_clocks_merchant_id_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_clocks
    ADD CONSTRAINT test_clocks_merchant_id_idempotency_key_key UNIQUE (merchant_id, idempotency_key);


--
-- Name: test_clocks test_clocks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_clocks
    ADD CONSTRAINT test_clocks_pkey PRIMARY KEY (id);


--
-- Name: trade_deposits trade_deposits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_deposits
    ADD CONSTRAINT trade_deposits_pkey PRIMARY KEY (id);


--
-- Name: trade_deposits trade_deposits_wallet_id_tx_hash_address_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_deposits
    ADD CONSTRAINT trade_deposits_wallet_id_tx_hash_address_key UNIQUE (wallet_id, tx_hash, address);


--
-- Name: trade_events trade_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_events
    ADD CONSTRAINT trade_events_pkey PRIMARY KEY (id);


--
-- Name: trade_orders trade_orders_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_orders
    ADD CONSTRAINT trade_orders_pkey PRIMARY KEY (trade_id, provider);


--
-- Name: trade_orders trade_orders_provider_id_provider_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_orders
    ADD CONSTRAINT trade_orders_provider_id_provider_key UNIQUE (provider, id_provider);


--
-- Name: trade_payments trade_payments_deposit_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_payments
    ADD CONSTRAINT trade_payments_deposit_id_key UNIQUE (deposit_id);


--
-- Name: trade_payments trade_payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_payments
    ADD CONSTRAINT trade_payments_pkey PRIMARY KEY (id);


--
-- Name: trade_signals trade_signals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_signals
    ADD CONSTRAINT trade_signals_pkey PRIMARY KEY (trade_id);


--
-- Name: trades trades_id_provider; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_id_provider UNIQUE (provider, id_provider);


--
-- Name: trades trades_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_pkey PRIMARY KEY (id);


--
-- Name: trades trades_wallet_from_deposit_address_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_wallet_from_deposit_address_key UNIQUE (wallet_from, deposit_address);


--
-- Name: unmatched_deposits unmatched_deposits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unmatched_deposits
    ADD CONSTRAINT unmatched_deposits_pkey PRIMARY KEY (wallet_id, tx_hash, address);


--
-- Name: unseen_deposits unseen_deposits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unseen_deposits
    ADD CONSTRAINT unseen_deposits_pkey PRIMARY KEY (trade_id, tx_hash, address);


--
-- Name: wallets wallets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets
    ADD CONSTRAINT wallets_pkey PRIMARY KEY (id);


--
-- Name: wallets wallets_primary_address_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets
    ADD CONSTRAINT wallets_primary_address_key UNIQUE (primary_address);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: witnesses witnesses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.witnesses
    ADD CONSTRAINT witnesses_pkey PRIMARY KEY (wallet_id);


--
-- Name: workflow_starts workflow_starts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workflow_starts
    ADD CONSTRAINT workflow_starts_pkey PRIMARY KEY (id);


--
-- Name: account_notices_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX account_notices_of_merchant ON public.account_notices USING btree (merchant_id);


--
-- Name: account_notices_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX account_notices_old ON public.account_notices USING btree (created_at);


--
-- Name: actions_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX actions_list ON public.actions USING btree (merchant_id, id DESC);


--
-- Name: actions_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX actions_old ON public.actions USING btree (at);


--
-- Name: addresses_free; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX addresses_free ON public.addresses USING btree (wallet_id, subaddress_index) WHERE (charge_id IS NULL);


--
-- Name: alerts_open; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX alerts_open ON public.alerts USING btree (kind, subject) WHERE (resolved_at IS NULL);


--
-- Name: alerts_resolved; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alerts_resolved ON public.alerts USING btree (id) WHERE (resolved_at IS NOT NULL);


--
-- Name: business_notices_of_mail; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX business_notices_of_mail ON public.business_notices USING btree (mail_id, id);


--
-- Name: business_notices_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX business_notices_old ON public.business_notices USING btree (happened_at);


--
-- Name: business_notices_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX business_notices_waiting ON public.business_notices USING btree (merchant_id, frequency, id) WHERE (mail_id IS NULL);


--
-- Name: charge_signals_next; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_signals_next ON public.charge_signals USING btree (wallet_id, next_at, version);


--
-- Name: charges_buyer_info; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_buyer_info ON public.charges USING btree (created_at, id) WHERE (has_buyer_info AND (status <> 'pending'::text));


--
-- Name: charges_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_ended ON public.charges USING btree (created_at, id) WHERE (status <> 'pending'::text);


--
-- Name: charges_invoice_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_invoice_status ON public.charges USING btree (merchant_id, mode, invoice_status, created_at DESC, id DESC);


--
-- Name: charges_late; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_late ON public.charges USING btree (merchant_id, mode) WHERE (late AND (payout_id IS NULL));


--
-- Name: charges_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_list ON public.charges USING btree (merchant_id, mode, created_at DESC, id DESC);


--
-- Name: charges_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_order ON public.charges USING btree (merchant_id, mode, order_id, created_at DESC, id DESC) WHERE (order_id IS NOT NULL);


--
-- Name: charges_pending_button; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_pending_button ON public.charges USING btree (merchant_id) WHERE ((status = 'pending'::text) AND (source <> 'api'::text));


--
-- Name: charges_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_status ON public.charges USING btree (status);


--
-- Name: charges_test_clock; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_test_clock ON public.charges USING btree (test_clock_id, id) WHERE (test_clock_id IS NOT NULL);


--
-- Name: charges_unbacked; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charges_unbacked ON public.charges USING btree (confirmed_at) WHERE unbacked;


--
-- Name: commissions_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commissions_key ON public.commissions USING btree (key_id, ticker, network);


--
-- Name: deliveries_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_age ON public.deliveries USING btree (created_at, id);


--
-- Name: deliveries_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_by_event ON public.deliveries USING btree (event_id);


--
-- Name: deliveries_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_by_merchant ON public.deliveries USING btree (merchant_id, mode, created_at DESC, id DESC);


--
-- Name: deliveries_by_webhook; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_by_webhook ON public.deliveries USING btree (webhook_id, mode, created_at DESC, id DESC);


--
-- Name: deliveries_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_pending ON public.deliveries USING btree (next_attempt_at) WHERE (status = 'pending'::text);


--
-- Name: deliveries_undelivered; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_undelivered ON public.deliveries USING btree (created_at, id) WHERE (status = ANY (ARRAY['failed'::text, 'dropped'::text]));


--
-- Name: email_verifications_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX email_verifications_old ON public.email_verifications USING btree (expires_at);


--
-- Name: events_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_age ON public.events USING btree (created_at, id);


--
-- Name: events_buyer_info; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_buyer_info ON public.events USING btree (created_at, id) WHERE has_buyer_info;


--
-- Name: events_unnumbered; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_unnumbered ON public.events USING btree (merchant_id, mode, id) WHERE (place IS NULL);


--
-- Name: exchange_addresses_free; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_addresses_free ON public.exchange_addresses USING btree (wallet_id, number) WHERE (trade_id IS NULL);


--
-- Name: idempotency_keys_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_old ON public.idempotency_keys USING btree (created_at);


--
-- Name: invites_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invites_old ON public.invites USING btree (expires_at);


--
-- Name: ledger_sums; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ledger_sums ON public.ledger USING btree (merchant_id, mode, confirmed_at, charge_id) INCLUDE (received_piconero);


--
-- Name: login_failures_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX login_failures_age ON public.login_failures USING btree (last_at);


--
-- Name: login_ip_failures_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX login_ip_failures_age ON public.login_ip_failures USING btree (window_start);


--
-- Name: login_networks_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX login_networks_old ON public.login_networks USING btree (seen_at);


--
-- Name: merchants_unverified; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX merchants_unverified ON public.merchants USING btree (verify_by) WHERE ((verify_by IS NOT NULL) AND (email_verified_at IS NULL) AND (deleted_at IS NULL));


--
-- Name: notice_mails_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notice_mails_of_merchant ON public.notice_mails USING btree (merchant_id, created_at);


--
-- Name: notice_mails_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notice_mails_old ON public.notice_mails USING btree (created_at);


--
-- Name: outgoing_transactions_confirmed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX outgoing_transactions_confirmed ON public.outgoing_transactions USING btree (wallet_id, height) WHERE (state = 'confirmed'::text);


--
-- Name: outgoing_transactions_one_of_payout; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX outgoing_transactions_one_of_payout ON public.outgoing_transactions USING btree (payout_id) WHERE (state <> 'abandoned'::text);


--
-- Name: outgoing_transactions_one_unrelayed; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX outgoing_transactions_one_unrelayed ON public.outgoing_transactions USING btree (wallet_id) WHERE ((state = ANY (ARRAY['building'::text, 'built'::text])) AND (purpose <> 'payout'::text));


--
-- Name: outgoing_transactions_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX outgoing_transactions_open ON public.outgoing_transactions USING btree (wallet_id) WHERE (state = ANY (ARRAY['built'::text, 'sent'::text, 'failed'::text]));


--
-- Name: outgoing_transactions_trades; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX outgoing_transactions_trades ON public.outgoing_transactions USING gin (trade_ids);


--
-- Name: password_resets_of_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX password_resets_of_address ON public.password_resets USING btree (email_index, created_at);


--
-- Name: password_resets_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX password_resets_of_merchant ON public.password_resets USING btree (merchant_id);


--
-- Name: password_resets_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX password_resets_old ON public.password_resets USING btree (expires_at);


--
-- Name: payment_requests_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_requests_list ON public.payment_requests USING btree (merchant_id, mode, created_at DESC, id DESC);


--
-- Name: payouts_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_list ON public.payouts USING btree (merchant_id, created_at DESC, id DESC);


--
-- Name: payouts_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_newest ON public.payouts USING btree (created_at DESC, id DESC);


--
-- Name: payouts_of_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_of_status ON public.payouts USING btree (status, created_at DESC, id DESC);


--
-- Name: payouts_one_at_a_time; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX payouts_one_at_a_time ON public.payouts USING btree (merchant_id) WHERE (status = 'building'::text);


--
-- Name: payouts_one_of_claim; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX payouts_one_of_claim ON public.payouts USING btree (claim_id) WHERE ((claim_id IS NOT NULL) AND (status <> 'failed'::text));


--
-- Name: payouts_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_open ON public.payouts USING btree (wallet_id) WHERE (status = 'broadcast'::text);


--
-- Name: payouts_sent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_sent ON public.payouts USING btree (merchant_id, sent_at) WHERE (sent_at IS NOT NULL);


--
-- Name: payouts_unsettled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_unsettled ON public.payouts USING btree (created_at) WHERE (status = ANY (ARRAY['building'::text, 'broadcast'::text]));


--
-- Name: rate_counts_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rate_counts_old ON public.rate_counts USING btree (window_start);


--
-- Name: received_payments_charge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_charge ON public.received_payments USING btree (charge_id) WHERE (charge_id IS NOT NULL);


--
-- Name: received_payments_dropped; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_dropped ON public.received_payments USING btree (wallet_id, vanished_at) WHERE (vanished_at IS NOT NULL);


--
-- Name: received_payments_maturing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_maturing ON public.received_payments USING btree (wallet_id, mature_height) WHERE ((NOT mature) AND (height IS NOT NULL));


--
-- Name: received_payments_payout; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_payout ON public.received_payments USING btree (payout_id) WHERE (payout_id IS NOT NULL);


--
-- Name: received_payments_unmatched; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_unmatched ON public.received_payments USING btree (wallet_id, id) WHERE (charge_id IS NULL);


--
-- Name: received_payments_unmatched_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_unmatched_index ON public.received_payments USING btree (wallet_id, subaddress_index) WHERE (charge_id IS NULL);


--
-- Name: received_payments_unmatched_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_unmatched_newest ON public.received_payments USING btree (id) WHERE (charge_id IS NULL);


--
-- Name: received_payments_unmined; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_unmined ON public.received_payments USING btree (wallet_id) WHERE ((height IS NULL) AND (vanished_at IS NULL));


--
-- Name: received_payments_unpaid; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_unpaid ON public.received_payments USING btree (merchant_id, wallet_id) WHERE ((payout_id IS NULL) AND (vanished_at IS NULL));


--
-- Name: received_payments_window; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX received_payments_window ON public.received_payments USING btree (wallet_id, height);


--
-- Name: refund_claims_refund; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_claims_refund ON public.refund_claims USING btree (refund_id, created_at, id);


--
-- Name: refund_claims_to_approve; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_claims_to_approve ON public.refund_claims USING btree (refund_id) WHERE (status = 'awaiting_approval'::text);


--
-- Name: refund_claims_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_claims_waiting ON public.refund_claims USING btree (next_at) WHERE (status = 'awaiting_payment'::text);


--
-- Name: refunds_charge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_charge ON public.refunds USING btree (charge_id);


--
-- Name: refunds_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_list ON public.refunds USING btree (merchant_id, created_at DESC, id DESC);


--
-- Name: refunds_made_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_made_by ON public.refunds USING btree (made_by, merchant_id, created_at) WHERE (made_by IS NOT NULL);


--
-- Name: refunds_unfinished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_unfinished ON public.refunds USING btree (id) WHERE (status <> ALL (ARRAY['completed'::text, 'cancelled'::text, 'expired'::text]));


--
-- Name: sanctions_lists_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX sanctions_lists_current ON public.sanctions_lists USING btree (state) WHERE (state = ANY (ARRAY['in_force'::text, 'refused'::text]));


--
-- Name: scoped_keys_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX scoped_keys_of_merchant ON public.scoped_keys USING btree (merchant_id, created_at);


--
-- Name: scoped_keys_revoked; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX scoped_keys_revoked ON public.scoped_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);


--
-- Name: sessions_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_of_merchant ON public.sessions USING btree (merchant_id);


--
-- Name: sessions_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_old ON public.sessions USING btree (expires_at);


--
-- Name: simulated_chains_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX simulated_chains_changed ON public.simulated_chains USING btree (wallet_id) WHERE (changed > scanned);


--
-- Name: simulated_payments_wallet; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX simulated_payments_wallet ON public.simulated_payments USING btree (wallet_id);


--
-- Name: staff_invites_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX staff_invites_of_merchant ON public.staff_invites USING btree (merchant_id, created_at);


--
-- Name: staff_invites_old; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX staff_invites_old ON public.staff_invites USING btree (expires_at);


--
-- Name: staff_of_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX staff_of_person ON public.staff USING btree (person_id, merchant_id);


--
-- Name: swap_keys_unused; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swap_keys_unused ON public.swap_keys USING btree (last_used_at) WHERE (class = 'affiliate'::text);


--
-- Name: swap_orders_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swap_orders_age ON public.swap_orders USING btree (sent_at);


--
-- Name: swap_orders_placing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swap_orders_placing ON public.swap_orders USING btree (merchant_id) WHERE (state = 'placing'::text);


--
-- Name: swaps_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swaps_ended ON public.swaps USING btree (created_at) WHERE (closed_at IS NOT NULL);


--
-- Name: swaps_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swaps_list ON public.swaps USING btree (merchant_id, created_at DESC, id DESC);


--
-- Name: swaps_unclosed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swaps_unclosed ON public.swaps USING btree (id) WHERE (closed_at IS NULL);


--
-- Name: swaps_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX swaps_waiting ON public.swaps USING btree (merchant_id) WHERE (status = 'waiting'::text);


--
-- Name: test_clocks_advancing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX test_clocks_advancing ON public.test_clocks USING btree (id) WHERE (status = 'advancing'::text);


--
-- Name: test_clocks_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX test_clocks_age ON public.test_clocks USING btree (deletes_after);


--
-- Name: test_clocks_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX test_clocks_list ON public.test_clocks USING btree (merchant_id, created_at DESC, id DESC);


--
-- Name: trade_deposits_dropped; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_deposits_dropped ON public.trade_deposits USING btree (wallet_id, missing_at) WHERE (missing_at IS NOT NULL);


--
-- Name: trade_deposits_maturing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_deposits_maturing ON public.trade_deposits USING btree (wallet_id, mature_height) WHERE ((NOT mature) AND (height IS NOT NULL));


--
-- Name: trade_deposits_origins_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_deposits_origins_due ON public.trade_deposits USING btree (wallet_id, origins_asked, origins_due_at) WHERE ((origins_due_at IS NOT NULL) AND (missing_at IS NULL));


--
-- Name: trade_deposits_trade; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_deposits_trade ON public.trade_deposits USING btree (trade_id, first_seen_at, id);


--
-- Name: trade_deposits_unmined; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_deposits_unmined ON public.trade_deposits USING btree (wallet_id) WHERE ((height IS NULL) AND (missing_at IS NULL));


--
-- Name: trade_deposits_window; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_deposits_window ON public.trade_deposits USING btree (wallet_id, height);


--
-- Name: trade_events_dead; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_events_dead ON public.trade_events USING btree (id) WHERE (delivery = ANY (ARRAY['failed'::text, 'dropped'::text]));


--
-- Name: trade_events_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_events_pending ON public.trade_events USING btree (next_attempt_at) WHERE (delivery = 'pending'::text);


--
-- Name: trade_events_trade; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_events_trade ON public.trade_events USING btree (trade_id, id);


--
-- Name: trade_orders_one_placed; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX trade_orders_one_placed ON public.trade_orders USING btree (trade_id) WHERE (state = 'placed'::text);


--
-- Name: trade_orders_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_orders_open ON public.trade_orders USING btree (heard_at) WHERE ((state = 'placed'::text) AND (closed_at IS NULL));


--
-- Name: trade_orders_sent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_orders_sent ON public.trade_orders USING btree (sent_at, trade_id);


--
-- Name: trade_payments_dust; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_payments_dust ON public.trade_payments USING btree (wallet_id, id) WHERE (dust AND (transaction_id IS NULL));


--
-- Name: trade_payments_planned; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_payments_planned ON public.trade_payments USING btree (wallet_id, kind, id) WHERE ((transaction_id IS NULL) AND (reason IS NULL));


--
-- Name: trade_payments_refunds; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_payments_refunds ON public.trade_payments USING btree (trade_id, transaction_id) WHERE ((kind = 'refund'::text) AND (transaction_id IS NOT NULL));


--
-- Name: trade_payments_trade; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_payments_trade ON public.trade_payments USING btree (trade_id, id);


--
-- Name: trade_payments_transaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_payments_transaction ON public.trade_payments USING btree (transaction_id) WHERE (transaction_id IS NOT NULL);


--
-- Name: trade_signals_next; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_signals_next ON public.trade_signals USING btree (wallet_id, next_at, version);


--
-- Name: trades_counted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trades_counted ON public.trades USING btree (counted_deposit) WHERE (counted_deposit IS NOT NULL);


--
-- Name: trades_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trades_list ON public.trades USING btree (created_at DESC, id DESC);


--
-- Name: trades_of_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trades_of_key ON public.trades USING btree (key_id) WHERE (key_id IS NOT NULL);


--
-- Name: trades_reserved; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trades_reserved ON public.trades USING btree (wallet_to) INCLUDE (status, reserved) WHERE (reserved > (0)::numeric);


--
-- Name: trades_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trades_status ON public.trades USING btree (status, created_at DESC, id DESC);


--
-- Name: trades_unfunded; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trades_unfunded ON public.trades USING btree (wallet_to, client_code) INCLUDE (reserved) WHERE (status = ANY (ARRAY['awaiting_deposit'::text, 'deposit_detected'::text]));


--
-- Name: unseen_deposits_transaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX unseen_deposits_transaction ON public.unseen_deposits USING btree (transaction_id);


--
-- Name: webhooks_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_active ON public.webhooks USING btree (merchant_id) WHERE (deleted_at IS NULL);


--
-- Name: webhooks_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_deleted ON public.webhooks USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: webhooks_of_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_of_merchant ON public.webhooks USING btree (merchant_id);


--
-- Name: workflow_starts_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX workflow_starts_age ON public.workflow_starts USING btree (created_at);


--
-- Name: charges count_pending; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER count_pending AFTER INSERT OR DELETE OR UPDATE OF status ON public.charges FOR EACH ROW EXECUTE FUNCTION public.count_pending_charge();


--
-- Name: account_notices account_notices_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account_notices
    ADD CONSTRAINT account_notices_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: addresses addresses_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(id);


--
-- Name: api_keys api_keys_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: backup_codes backup_codes_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.backup_codes
    ADD CONSTRAINT backup_codes_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: business_notices business_notices_mail_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.business_notices
    ADD CONSTRAINT business_notices_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES public.notice_mails(id);


--
-- Name: charges charges_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: charges charges_test_clock_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_test_clock_id_fkey FOREIGN KEY (test_clock_id) REFERENCES public.test_clocks(id);


--
-- Name: charges charges_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(id);


--
-- Name: commissions commissions_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commissions
    ADD CONSTRAINT commissions_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.swap_keys(id);


--
-- Name: deliveries deliveries_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);


--
-- Name: deliveries deliveries_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id);


--
-- Name: email_verifications email_verifications_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_verifications
    ADD CONSTRAINT email_verifications_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: exchange_addresses exchange_addresses_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_addresses
    ADD CONSTRAINT exchange_addresses_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.exchange_wallets(id);


--
-- Name: invites invites_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: ledger ledger_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: login_networks login_networks_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_networks
    ADD CONSTRAINT login_networks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: merchants merchants_live_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_live_wallet_id_fkey FOREIGN KEY (live_wallet_id) REFERENCES public.wallets(id);


--
-- Name: merchants merchants_sandbox_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_sandbox_wallet_id_fkey FOREIGN KEY (sandbox_wallet_id) REFERENCES public.wallets(id);


--
-- Name: notice_choices notice_choices_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice_choices
    ADD CONSTRAINT notice_choices_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: outgoing_transactions outgoing_transactions_payout_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outgoing_transactions
    ADD CONSTRAINT outgoing_transactions_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES public.payouts(id);


--
-- Name: password_resets password_resets_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: payment_requests payment_requests_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_requests
    ADD CONSTRAINT payment_requests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: payouts payouts_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payouts
    ADD CONSTRAINT payouts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: payouts payouts_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payouts
    ADD CONSTRAINT payouts_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(id);


--
-- Name: pending_charges pending_charges_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_charges
    ADD CONSTRAINT pending_charges_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id) ON DELETE CASCADE;


--
-- Name: received_payments received_payments_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.received_payments
    ADD CONSTRAINT received_payments_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(id);


--
-- Name: refund_claims refund_claims_refund_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_claims
    ADD CONSTRAINT refund_claims_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES public.refunds(id);


--
-- Name: refunds refunds_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: sanctioned_addresses sanctioned_addresses_list_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sanctioned_addresses
    ADD CONSTRAINT sanctioned_addresses_list_id_fkey FOREIGN KEY (list_id) REFERENCES public.sanctions_lists(id) ON DELETE CASCADE;


--
-- Name: scoped_keys scoped_keys_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scoped_keys
    ADD CONSTRAINT scoped_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: sessions sessions_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: simulated_chains simulated_chains_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.simulated_chains
    ADD CONSTRAINT simulated_chains_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(id) ON DELETE CASCADE;


--
-- Name: simulated_payments simulated_payments_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.simulated_payments
    ADD CONSTRAINT simulated_payments_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.simulated_chains(wallet_id) ON DELETE CASCADE;


--
-- Name: staff_invites staff_invites_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staff_invites
    ADD CONSTRAINT staff_invites_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: staff staff_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staff
    ADD CONSTRAINT staff_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: staff staff_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staff
    ADD CONSTRAINT staff_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.merchants(merchant_id);


--
-- Name: swap_orders swap_orders_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swap_orders
    ADD CONSTRAINT swap_orders_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: swaps swaps_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps
    ADD CONSTRAINT swaps_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- Name: test_clocks test_clocks_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_clocks
    ADD CONSTRAINT test_clocks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id) ON DELETE CASCADE;


--
-- Name: trade_deposits trade_deposits_trade_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_deposits
    ADD CONSTRAINT trade_deposits_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES public.trades(id);


--
-- Name: trade_deposits trade_deposits_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_deposits
    ADD CONSTRAINT trade_deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.exchange_wallets(id);


--
-- Name: trade_events trade_events_trade_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_events
    ADD CONSTRAINT trade_events_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES public.trades(id);


--
-- Name: trade_payments trade_payments_deposit_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_payments
    ADD CONSTRAINT trade_payments_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES public.trade_deposits(id);


--
-- Name: trade_payments trade_payments_trade_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_payments
    ADD CONSTRAINT trade_payments_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES public.trades(id);


--
-- Name: trade_payments trade_payments_transaction_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_payments
    ADD CONSTRAINT trade_payments_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES public.outgoing_transactions(id);


--
-- Name: trade_payments trade_payments_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade_payments
    ADD CONSTRAINT trade_payments_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.exchange_wallets(id);


--
-- Name: trades trades_counted_deposit_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_counted_deposit_fkey FOREIGN KEY (counted_deposit) REFERENCES public.trade_deposits(id);


--
-- Name: trades trades_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.swap_keys(id);


--
-- Name: trades trades_wallet_from_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_wallet_from_fkey FOREIGN KEY (wallet_from) REFERENCES public.exchange_wallets(id);


--
-- Name: trades trades_wallet_to_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trades
    ADD CONSTRAINT trades_wallet_to_fkey FOREIGN KEY (wallet_to) REFERENCES public.exchange_wallets(id);


--
-- Name: unmatched_deposits unmatched_deposits_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unmatched_deposits
    ADD CONSTRAINT unmatched_deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.exchange_wallets(id);


--
-- Name: unseen_deposits unseen_deposits_trade_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unseen_deposits
    ADD CONSTRAINT unseen_deposits_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES public.trades(id);


--
-- Name: unseen_deposits unseen_deposits_transaction_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unseen_deposits
    ADD CONSTRAINT unseen_deposits_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES public.outgoing_transactions(id);


--
-- Name: unseen_deposits unseen_deposits_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unseen_deposits
    ADD CONSTRAINT unseen_deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.exchange_wallets(id);


--
-- Name: webhooks webhooks_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(merchant_id);


--
-- PostgreSQL database dump complete
--


