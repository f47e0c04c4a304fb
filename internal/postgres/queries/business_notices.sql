-- name: PutBusinessNotice :exec
-- What the merchant has turned off is not written, and what was told is not told again.
INSERT INTO business_notices (merchant_id, kind, resource_id, part, amount, frequency, happened_at)
SELECT m.merchant_id, @kind, @resource_id, @part, sqlc.narg(amount), COALESCE(c.frequency, @usual::text), @happened_at
FROM merchants m LEFT JOIN notice_choices c ON c.merchant_id = m.merchant_id AND c.kind = @kind
WHERE m.merchant_id = @merchant_id AND m.deleted_at IS NULL AND COALESCE(c.frequency, @usual::text) <> 'off'
ON CONFLICT (kind, resource_id, part) DO NOTHING;

-- name: NoticeChoices :many
SELECT kind, frequency FROM notice_choices WHERE merchant_id = $1 ORDER BY kind;

-- name: SetNoticeChoice :exec
INSERT INTO notice_choices (merchant_id, kind, frequency) VALUES (@merchant_id, @kind, @frequency)
ON CONFLICT (merchant_id, kind) DO UPDATE SET frequency = excluded.frequency;

-- name: ApplyNoticeChoice :exec
-- What waits follows the choice; with off it goes.
WITH gone AS (
    DELETE FROM business_notices d WHERE d.merchant_id = @merchant_id AND d.kind = @kind AND d.mail_id IS NULL AND @frequency::text = 'off'
)
UPDATE business_notices b SET frequency = @frequency::text
WHERE b.merchant_id = @merchant_id AND b.kind = @kind AND b.mail_id IS NULL AND @frequency::text <> 'off';

-- name: MerchantsToMail :many
-- Those after one another whose notices wait: at once, or for the digest of what was before a moment.
SELECT DISTINCT b.merchant_id FROM business_notices b
WHERE b.mail_id IS NULL AND b.merchant_id > @after AND (b.frequency = 'at_once' OR b.happened_at < @before::timestamptz)
ORDER BY b.merchant_id LIMIT @batch;

-- name: CountWaitingNotices :one
SELECT count(*) FROM business_notices
WHERE merchant_id = @merchant_id AND frequency = @frequency AND kind = ANY(@kinds::text[]) AND mail_id IS NULL AND happened_at < @before;

-- name: CountWaitingByFrequency :many
SELECT frequency, count(*) AS notices FROM business_notices WHERE mail_id IS NULL GROUP BY frequency;

-- name: CountMailsAtOnce :one
SELECT count(*) FROM notice_mails m
WHERE m.merchant_id = @merchant_id AND m.digest_at IS NULL AND m.created_at > @since
    AND EXISTS (SELECT 1 FROM business_notices b WHERE b.mail_id = m.id AND b.kind = ANY(@kinds::text[]));

-- name: PutNoticeMail :execrows
INSERT INTO notice_mails (id, merchant_id, digest_at, created_at) VALUES (@id, @merchant_id, sqlc.narg(digest_at), @created_at)
ON CONFLICT (merchant_id, digest_at) DO NOTHING;

-- name: AssignNotices :exec
UPDATE business_notices b SET mail_id = @mail_id::text
WHERE b.id IN (
    SELECT w.id FROM business_notices w
    WHERE w.merchant_id = @merchant_id AND w.frequency = @frequency AND w.kind = ANY(@kinds::text[]) AND w.mail_id IS NULL AND w.happened_at < @before
    ORDER BY w.id LIMIT @most);

-- name: DropWaitingNotices :exec
DELETE FROM business_notices WHERE merchant_id = $1 AND mail_id IS NULL;

-- name: GetNoticeMail :one
SELECT n.id, n.merchant_id, n.digest_at, n.created_at, n.sent_at, m.email_sealed, m.business_name
FROM notice_mails n JOIN merchants m ON m.merchant_id = n.merchant_id WHERE n.id = $1;

-- name: NoticesOfMail :many
-- With what names them: a charge's order and description, or the address of a delivery's webhook.
-- Strangers write the descriptions of button charges, so no mail shows those.
SELECT b.kind, b.resource_id, b.amount, b.happened_at, COALESCE(c.order_id, '') AS order_id, (CASE WHEN c.source = 'button' THEN '' ELSE COALESCE(c.description, '') END)::text AS description,
    COALESCE(w.url, '') AS receiver
FROM business_notices b LEFT JOIN charges c ON c.id = b.resource_id
    LEFT JOIN deliveries d ON d.id = b.resource_id LEFT JOIN webhooks w ON w.id = d.webhook_id
WHERE b.mail_id = @mail_id::text ORDER BY b.id LIMIT @most;

-- name: SumNoticesOfMail :many
-- amount is in piconero: exact, and without the bound of one amount.
SELECT kind, count(*) AS notices, COALESCE(sum(amount::numeric), 0)::numeric AS amount, min(id)::bigint AS first
FROM business_notices WHERE mail_id = @mail_id::text GROUP BY kind ORDER BY min(id);

-- name: MarkNoticeMailSent :exec
UPDATE notice_mails SET sent_at = @now::timestamptz WHERE id = @id AND sent_at IS NULL;

-- name: PruneBusinessNotices :execrows
DELETE FROM business_notices WHERE id IN (
    SELECT b.id FROM business_notices b WHERE b.happened_at < @before::timestamptz ORDER BY b.happened_at LIMIT @batch);

-- name: PruneNoticeMails :execrows
DELETE FROM notice_mails WHERE id IN (
    SELECT n.id FROM notice_mails n
    WHERE n.created_at < @before::timestamptz AND NOT EXISTS (SELECT 1 FROM business_notices b WHERE b.mail_id = n.id)
    ORDER BY n.created_at LIMIT @batch);

-- name: AddLoginNetwork :execrows
INSERT INTO login_networks (merchant_id, network, seen_at) VALUES (@merchant_id, @network, @now)
ON CONFLICT (merchant_id, network) DO NOTHING;

-- name: TouchLoginNetwork :exec
UPDATE login_networks SET seen_at = greatest(seen_at, @now::timestamptz) WHERE merchant_id = @merchant_id AND network = @network;

-- name: HasOtherLoginNetwork :one
SELECT EXISTS (SELECT 1 FROM login_networks WHERE merchant_id = @merchant_id AND network <> @network);

-- name: DropLoginNetworks :exec
DELETE FROM login_networks WHERE merchant_id = $1;

-- name: DropNoticeChoices :exec
DELETE FROM notice_choices WHERE merchant_id = $1;

-- name: PruneLoginNetworks :execrows
DELETE FROM login_networks WHERE (merchant_id, network) IN (
    SELECT n.merchant_id, n.network FROM login_networks n WHERE n.seen_at < @before::timestamptz ORDER BY n.seen_at LIMIT @batch);
