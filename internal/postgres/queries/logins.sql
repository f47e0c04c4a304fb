-- name: GetLoginFailures :one
SELECT * FROM login_failures WHERE email_index = $1;

-- name: CountLoginFailure :one
INSERT INTO login_failures AS f (email_index, failures, last_at) VALUES (@email_index, 1, @now)
ON CONFLICT (email_index) DO UPDATE SET
    failures = CASE WHEN f.locked_until IS NOT NULL AND f.locked_until <= @now THEN 1 ELSE f.failures + 1 END,
    locked_until = CASE WHEN f.locked_until IS NOT NULL AND f.locked_until <= @now THEN NULL
                        WHEN f.failures + 1 >= @max_failures::integer THEN @lock_until::timestamptz
                        ELSE f.locked_until END,
    last_at = @now
RETURNING *;

-- name: ClearLoginFailures :exec
DELETE FROM login_failures WHERE email_index = $1;

-- name: GetIPFailures :one
SELECT * FROM login_ip_failures WHERE ip = $1;

-- name: CountIPFailure :one
INSERT INTO login_ip_failures AS f (ip, failures, window_start) VALUES (@ip, 1, @now)
ON CONFLICT (ip) DO UPDATE SET
    failures = CASE WHEN f.window_start <= @window_from::timestamptz THEN 1 ELSE f.failures + 1 END,
    window_start = CASE WHEN f.window_start <= @window_from::timestamptz THEN @now ELSE f.window_start END,
    blocked_until = CASE WHEN f.window_start > @window_from::timestamptz AND f.failures + 1 >= @max_failures::integer
                         THEN @block_until::timestamptz ELSE f.blocked_until END
RETURNING *;
