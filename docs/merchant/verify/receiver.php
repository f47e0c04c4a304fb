<?php
// Takes Durapay's webhooks: checks the signature and the age of each event,
// refuses the sandbox, and handles each once. Run it with WEBHOOK_SECRET=…
// php -S 127.0.0.1:8000 receiver.php, and with SANDBOX=1 to try things out.
declare(strict_types=1);

const MAX_AGE = 5 * 60;

// Returns the event when the body (as it came) is signed with the secret, not
// older than five minutes and not of the sandbox; throws otherwise.
function verify(string $secret, string $signature, string $body, int $now): array
{
    if (!hash_equals(hash_hmac('sha256', $body, $secret), $signature)) { // in constant time
        throw new RuntimeException('wrong signature');
    }
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    $sent = (new DateTimeImmutable($event['timestamp']))->getTimestamp();
    if (abs($now - $sent) > MAX_AGE) {
        throw new RuntimeException('too old');
    }
    if (!empty($event['data']['sandbox']) && getenv('SANDBOX') !== '1') {
        throw new RuntimeException('sandbox: nobody has paid');
    }
    return $event;
}

// Says whether the event has not been seen before. Use a table of your database
// with a unique key, and write it in the transaction that ships the goods.
function first(array $event): bool
{
    $folder = getenv('HANDLED_DIR') ?: sys_get_temp_dir() . '/durapay-handled';
    if (!is_dir($folder)) {
        @mkdir($folder, 0700, true);
    }
    $file = $folder . '/' . hash('sha256', $event['data']['id'] . ' ' . $event['event']);
    return @fopen($file, 'x') !== false; // fails when the file is there
}

try {
    $event = verify((string) getenv('WEBHOOK_SECRET'), $_SERVER['HTTP_X_MERCHANT_SIGNATURE'] ?? '', file_get_contents('php://input'), time());
} catch (Throwable $error) {
    http_response_code(400);
    exit($error->getMessage());
}
if (first($event)) {
    file_put_contents('php://stdout', $event['event'] . ' ' . $event['data']['id'] . "\n"); // ship the goods here
}
http_response_code(200); // for a repeated event too, or it comes again
