/**
 * Records the responses of real servers: `npx tsx --conditions=coxswain-source packages/apiserver/test/requests/record.ts
 * [suite…]` with KUBE_APISERVER and KUBE_TOKEN (a server with every API version on and admission plug-ins off), and
 * KUBE_APISERVER_DEFAULT, KUBE_TOKEN_DEFAULT and USER_TOKEN_DEFAULT (one with Node and RBAC authorization, and the user
 * alice of the group dev), and KUBE_APISERVER_STRICT and KUBE_TOKEN_STRICT (the same with the plug-ins and features of
 * `test-server.ts`, where tokens of users are their names, and n1 and n2 are nodes). All created objects are deleted.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { newCodecFactory } from '@coxswain/api';
import { type Caller, httpsCaller } from './caller.ts';
import { play } from './player.ts';
import type { Answer, JsonObject, ServerName } from './scenario.ts';
import { loadSuite, recordingFile, suiteNames } from './suites.ts';

const codecs = newCodecFactory();
const settlingMs = { true: 400, policies: 2500, discovery: 40_000 };

interface Server {
  readonly call: Caller;
  readonly token: (user?: string) => string;
}

const servers: Readonly<Record<ServerName, Server>> = {
  plain: {
    call: httpsCaller(process.env.KUBE_APISERVER ?? ''),
    token: () => process.env.KUBE_TOKEN ?? '',
  },
  default: {
    call: httpsCaller(process.env.KUBE_APISERVER_DEFAULT ?? ''),
    token: (user) => (user ? process.env.USER_TOKEN_DEFAULT : process.env.KUBE_TOKEN_DEFAULT) ?? '',
  },
  strict: {
    call: httpsCaller(process.env.KUBE_APISERVER_STRICT ?? ''),
    token: (user) => user ?? process.env.KUBE_TOKEN_STRICT ?? '',
  },
};

async function send({ call, token }: Server, method: string, url: string, body?: object): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' };
  const bytes = body && Buffer.from(JSON.stringify(body));
  const received = await call({ method, url, headers, ...(bytes && { body: bytes }) }, new AbortController().signal);
  let text = '';
  for await (const chunk of received.body) text += Buffer.from(chunk).toString();
  return text.startsWith('{') ? JSON.parse(text) : {};
}

/** Deletes an object, and removes its finalizers. */
async function remove(server: Server, path: string): Promise<void> {
  await send(server, 'DELETE', `${path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  const left = await send(server, 'GET', path);
  const metadata = left.metadata as JsonObject | undefined;
  if (metadata?.finalizers) await send(server, 'PUT', path, { ...left, metadata: { ...metadata, finalizers: [] } });
}

async function record(name: string): Promise<void> {
  const suite = await loadSuite(name);
  const server = servers[suite.server ?? 'plain'];
  const recorded: Record<string, Answer[]> = {};
  for (const [sentence, steps] of Object.entries(suite.scenarios)) {
    const namespace = `req-${randomBytes(4).toString('hex')}`;
    const made: string[] = [];
    await send(server, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    try {
      recorded[sentence] = await play(steps, {
        ...server,
        codecs,
        namespace,
        forgotten: 'v1:configmaps',
        settle: (what) => new Promise((resolve) => setTimeout(resolve, settlingMs[`${what}`])),
        created: (path, object) => {
          const { name } = (object?.metadata ?? {}) as { name?: string };
          if (name && !path.includes('dryRun'))
            made.push(`${path.replace(/[/?]*(\?.*)?$/, '')}/${encodeURIComponent(name)}`);
        },
      });
    } catch (cause) {
      throw new Error(`${name}: ${sentence}: ${cause}`, { cause });
    } finally {
      for (const path of made.reverse()) await remove(server, path);
      const path = `/api/v1/namespaces/${namespace}`;
      await send(server, 'DELETE', path);
      const left = await send(server, 'GET', path);
      // Without a namespace controller, namespaces must be finalized here.
      if (left.kind === 'Namespace')
        await send(server, 'PUT', `${path}/finalize`, { ...left, spec: { finalizers: [] } });
    }
  }
  writeFileSync(recordingFile(name), print(recorded));
  console.log(`${name}: ${Object.values(recorded).flat().length} answers`);
}

/** Prints one line per response, so that diffs are readable. */
function print(recorded: Readonly<Record<string, readonly Answer[]>>): string {
  const scenarios = Object.entries(recorded).map(
    ([sentence, answers]) =>
      `${JSON.stringify(sentence)}:[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]`,
  );
  return `{\n${scenarios.join(',\n')}\n}\n`;
}

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : suiteNames()) await record(name);
