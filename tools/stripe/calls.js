// Makes calls of Stripe's own client for test clocks, as told: one JSON object a line
// on stdin, one answer a line on stdout.
//
//   {"call": ["create", {"frozen_time": 1924992000, "name": "…"}]}
//   {"call": ["advance", "clock_…", {"frozen_time": 1924995600}]}
//
// An answer is {"answer": …}, or {"status": 404, "error": {"type": …, "code": …}} as the
// client throws it. STRIPE_URL and STRIPE_KEY say where to and as whom.
"use strict";

const readline = require("node:readline");
const Stripe = require("stripe");

const url = new URL(process.env.STRIPE_URL);
const stripe = new Stripe(process.env.STRIPE_KEY, {
  protocol: url.protocol.replace(":", ""), host: url.hostname, port: url.port, maxNetworkRetries: 2, telemetry: false,
});

async function answer(told) {
  const [operation, ...input] = told.call;
  return { answer: await stripe.testHelpers.testClocks[operation](...input) };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const told = await answer(JSON.parse(line)).catch((e) =>
      ({ status: e.statusCode, error: { class: e.type, code: e.code, param: e.param, message: e.message, type: e.rawType } }));
    console.log(JSON.stringify(told));
  }
}

main();
