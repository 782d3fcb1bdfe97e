/**
 * Records the requests of a real server to webhooks, and its responses to clients: `npx tsx --conditions=coxswain-source
 * packages/apiserver/test/webhooks/record.ts` with KUBE_APISERVER, KUBE_TOKEN, USER_TOKEN (of alice), and AUDIT_LOG (the
 * file of its audit log) set.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpsCaller } from '../requests/caller.ts';
import { play } from './play.ts';
import { scenarios } from './scenarios.ts';
import { WebhookServer } from './webhook-server.ts';

const call = httpsCaller(process.env.KUBE_APISERVER ?? '');
const token = (user?: string): string => (user ? process.env.USER_TOKEN : process.env.KUBE_TOKEN) ?? '';

async function annotations(auditId: string): Promise<Readonly<Record<string, string>>> {
  for (let attempt = 0; attempt < 20; attempt++) {
    for (const line of readFileSync(process.env.AUDIT_LOG ?? '', 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-30)) {
      if (!line.includes(auditId)) continue;
      const { annotations: found = {} } = JSON.parse(line) as { annotations?: Record<string, string> };
      return Object.fromEntries(
        Object.entries(found).filter(([key]) => !/^(authorization\.k8s\.io|pod-security|apiserver\.latency)/.test(key)),
      );
    }
    await sleep(20);
  }
  return {};
}

const file = new URL('../recorded/webhooks.json', import.meta.url);
const recorded: Record<string, unknown> = process.argv.length > 2 ? JSON.parse(readFileSync(file, 'utf8')) : {};
const webhooks = await new WebhookServer().start();
for (const [sentence, scenario] of Object.entries(scenarios)) {
  if (process.argv.length > 2 && !process.argv.slice(2).some((part) => sentence.includes(part))) continue;
  const namespace = `wh-${randomBytes(4).toString('hex')}`;
  recorded[sentence] = await play(scenario, {
    call,
    token,
    webhooks,
    namespace,
    settle: () => sleep(Number(process.env.SETTLE_MS ?? 250)),
    annotations,
  });
  console.log(sentence);
}
await webhooks.close();
writeFileSync(
  file,
  `${JSON.stringify(Object.fromEntries(Object.keys(scenarios).map((key) => [key, recorded[key]])), null, 1)}\n`,
);
