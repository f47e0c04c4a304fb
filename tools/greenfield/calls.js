// Makes calls of the unmodified Greenfield client, and verifies deliveries with the
// library of Standard Webhooks. A request is one JSON object a line on stdin, its answer
// one line on stdout.
//
//   {"call": ["InvoicesService", "invoicesGetInvoice", {"storeId": "…", "invoiceId": "…"}]}
//   {"verify": {"secret": "whsec_…", "body": "…", "headers": {"webhook-id": "…"}}}
//
// An answer is {"answer": …}, {"status": 404, "error": …} of the client's ApiError, or
// {"error": "…"}. GREENFIELD_URL and GREENFIELD_KEY say where to and as whom.
"use strict";

const readline = require("node:readline");
const greenfield = require("btcpay-greenfield-node-client");
const { Webhook } = require("standardwebhooks");

greenfield.OpenAPI.BASE = process.env.GREENFIELD_URL;
greenfield.OpenAPI.TOKEN = process.env.GREENFIELD_KEY;

async function answer(request) {
  if (request.verify) {
    const { secret, body, headers } = request.verify;
    return { answer: new Webhook(secret).verify(body, headers) };
  }
  const [service, operation, input] = request.call;
  return { answer: await greenfield[service][operation](input ?? {}) };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const result = await answer(JSON.parse(line)).catch((e) =>
      e instanceof greenfield.ApiError ? { status: e.status, error: e.body } : { error: String(e) });
    console.log(JSON.stringify(result));
  }
}

main();
