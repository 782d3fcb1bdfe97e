import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { choosePort } from './choose-port.ts';

let other: Server;
let port: number;
beforeEach(async () => {
  other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  port = (other.address() as AddressInfo).port;
});
const close = () => new Promise((resolve) => other.close(resolve));
afterEach(close);

it('a cluster keeps its port, or gets a free one when another program listens there', async () => {
  expect(await choosePort(port, '127.0.0.1')).toBe(0);
  await close();
  expect(await choosePort(port, '127.0.0.1')).toBe(port);
  // The check leaves the port free.
  expect(await choosePort(port, '127.0.0.1')).toBe(port);
});
