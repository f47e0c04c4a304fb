// Takes Durapay's webhooks: checks the signature and the age of each event,
// refuses the sandbox, and handles each once. Run it with WEBHOOK_SECRET=…
// PORT=8000 node receiver.js, and with SANDBOX=1 to try things out.
"use strict";
const crypto = require("node:crypto");
const http = require("node:http");

const MAX_AGE_MS = 5 * 60 * 1000;
const MAX_BODY = 1 << 20;

// Returns the event when the body (a Buffer, as it came) is signed with the
// secret, not older than five minutes and not of the sandbox; throws otherwise.
function verify(secret, signature, body, now) {
  const want = Buffer.from(crypto.createHmac("sha256", secret).update(body).digest("hex"));
  const got = Buffer.from(signature ?? "");
  if (got.length !== want.length || !crypto.timingSafeEqual(got, want)) {
    throw new Error("wrong signature");
  }
  const event = JSON.parse(body.toString("utf8"));
  const age = now - Date.parse(event.timestamp);
  if (!(Math.abs(age) <= MAX_AGE_MS)) {
    throw new Error("too old");
  }
  if (event.data.sandbox && process.env.SANDBOX !== "1") {
    throw new Error("sandbox: nobody has paid");
  }
  return event;
}

// What was done already. Use a table of your database with a unique key, and
// write it in the transaction that ships the goods.
const handled = new Set();

const server = http.createServer((request, response) => {
  const chunks = [];
  let size = 0;
  request.on("data", (chunk) => {
    size += chunk.length;
    if (size > MAX_BODY) request.destroy();
    chunks.push(chunk);
  });
  request.on("end", () => {
    let event;
    try {
      event = verify(process.env.WEBHOOK_SECRET, request.headers["x-merchant-signature"], Buffer.concat(chunks), Date.now());
    } catch (error) {
      response.writeHead(400).end(error.message);
      return;
    }
    const key = `${event.data.id} ${event.event}`;
    if (!handled.has(key)) {
      handled.add(key);
      console.log(`${event.event} ${event.data.id}`); // ship the goods here
    }
    response.writeHead(200).end(); // for a repeated event too, or it comes again
  });
});
server.listen(Number(process.env.PORT), "127.0.0.1");
