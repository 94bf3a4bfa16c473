// Orders for one product, for k6. Reset the product, send the orders, judge the rows:
//
//   curl -s LAB/lab/reset -H 'content-type: application/json' -d '{"sku":"phone","stock":50}'
//   k6 run -e PORT=8080 -e PRODUCT=phone -e STRATEGY=none -e THREADS=20 -e REQUESTS=200 load-tests/k6/oversell.js
//   npx lab verdict phone
//
// With -e RATE=100 -e SECONDS=10 it is an open loop: arrivals at a constant rate, whatever the answers do.
import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';

const {
  HOST = '127.0.0.1',
  PORT = '8080',
  PRODUCT = 'phone',
  STRATEGY = 'none',
  OPTIONS = 'workMs=0',
  THREADS = '20',
  REQUESTS = '200',
  RATE,
  SECONDS = '10',
} = __ENV;

const closedLoop = {
  executor: 'shared-iterations',
  vus: Number(THREADS),
  iterations: Number(REQUESTS),
  maxDuration: '10m',
};
const openLoop = {
  executor: 'constant-arrival-rate',
  rate: Number(RATE),
  timeUnit: '1s',
  duration: `${SECONDS}s`,
  preAllocatedVUs: Number(THREADS),
  maxVUs: 1500,
};

export const options = { scenarios: { buyers: RATE === undefined ? closedLoop : openLoop } };

// Sold out, and no lock: answers as documented (docs/http-api.md), not errors.
http.setResponseCallback(http.expectedStatuses(201, 409, 423));

// The same in the initialization of all virtual users would not be unique: setup runs once.
export function setup() {
  return { run: `${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}` };
}

export default function buy({ run }) {
  const number = exec.scenario.iterationInTest + 1;
  const response = http.post(
    `http://${HOST}:${PORT}/orders?strategy=${STRATEGY}&${OPTIONS}`,
    JSON.stringify({ sku: PRODUCT, quantity: 1, buyer: `buyer ${number}` }),
    {
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': `k6-${run}-${number}` },
      timeout: '60s',
      tags: { name: 'order' },
    },
  );
  check(response, { 'a documented answer': ({ status }) => [201, 409, 423].includes(status) });
}
