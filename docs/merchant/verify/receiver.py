"""Takes Durapay's webhooks: checks the signature and the age of each event,
refuses the sandbox, and handles each once. Run it with WEBHOOK_SECRET=...
PORT=8000 python3 receiver.py, and with SANDBOX=1 to try things out."""
import datetime
import hashlib
import hmac
import http.server
import json
import os

MAX_AGE = datetime.timedelta(minutes=5)
MAX_BODY = 1 << 20


def verify(secret, signature, body, now):
    """Returns the event when the body (bytes, as they came) is signed with the
    secret, not older than five minutes and not of the sandbox; raises ValueError
    otherwise."""
    want = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(want.encode(), signature.encode()):  # in constant time
        raise ValueError("wrong signature")
    event = json.loads(body)
    sent = datetime.datetime.strptime(event["timestamp"], "%Y-%m-%dT%H:%M:%S.%fZ")
    if abs(now - sent.replace(tzinfo=datetime.timezone.utc)) > MAX_AGE:
        raise ValueError("too old")
    if event["data"].get("sandbox") and os.environ.get("SANDBOX") != "1":
        raise ValueError("sandbox: nobody has paid")
    return event


# What was done already. Use a table of your database with a unique key, and
# write it in the transaction that ships the goods.
handled = set()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MAX_BODY))
        now = datetime.datetime.now(datetime.timezone.utc)
        try:
            event = verify(os.environ["WEBHOOK_SECRET"], self.headers.get("X-Merchant-Signature", ""), body, now)
        except ValueError as error:
            self.send_error(400, str(error))
            return
        key = (event["data"]["id"], event["event"])
        if key not in handled:
            handled.add(key)
            print(event["event"], event["data"]["id"], flush=True)  # ship the goods here
        self.send_response(200)  # for a repeated event too, or it comes again
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
