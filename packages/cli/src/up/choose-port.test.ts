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

it('a cluster has the port that it had, or any that is free where somebody else listens there', async () => {
  expect(await choosePort(port, '127.0.0.1')).toBe(0);
  await close();
  expect(await choosePort(port, '127.0.0.1')).toBe(port);
  // And leaves it free.
  expect(await choosePort(port, '127.0.0.1')).toBe(port);
});
