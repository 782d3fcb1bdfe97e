import { Dice } from './dice.ts';
import { FuzzServer } from './fuzz-server.ts';
import { collectionOf, definitions, hostileCustomRequest, steady, steadyObject } from './hostile-definitions.ts';

const [, , from, to] = process.argv.map(Number);
const f = await FuzzServer.start();
console.log(
  (await f.sendJson('POST', definitions, steady)).text.slice(0, 300),
  (await f.sendJson('POST', collectionOf('v1'), steadyObject)).text.slice(0, 300),
);
for (let s = from!; s <= to!; s++) {
  const r = hostileCustomRequest(new Dice(s));
  const t = Buffer.from(r.body ?? []).toString();
  const c = process.cpuUsage();
  const w = performance.now();
  process.stdout.write(`${s} ${r.method} ${r.url} ${t.length}`.slice(0, 200));
  const a = await f.send(r);
  const { user, system } = process.cpuUsage(c);
  const ms = (user + system) / 1000;
  console.log(` ${a.status} cpu ${ms} wall ${performance.now() - w}`);
  if (a.status >= 500 || ms > 300) console.log(t.slice(0, 800), a.text.slice(0, 500));
}
console.log('stray', f.stray);
process.exit();
