/**
 * Records the responses of a real kube-apiserver: `npx tsx packages/api/test/record.ts [name…]` with KUBE_APISERVER
 * (its address) and KUBE_TOKEN set. The server should have all API versions enabled and admission plugins disabled.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Answer,
  type Base,
  type Case,
  type CaseSuite,
  fixedUid,
  type JsonObject,
  type Recording,
} from './case.ts';
import { pathOf, type Response, send } from './server.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** Removes the metadata that differ on every server. */
function strip(object: JsonObject): JsonObject {
  const { uid, resourceVersion, creationTimestamp, managedFields, selfLink, ...metadata } =
    object.metadata as JsonObject;
  return { ...object, metadata };
}

/** Random identifiers anywhere in an object: Jobs have theirs in labels. */
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g;

/** Replaces times set by the server by the time of the test clock. */
function withFixedTimes(text: string): string {
  const recently = Date.now() - 3_600_000;
  return text.replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, (time) =>
    Date.parse(time.slice(1, -1)) > recently ? '"2026-01-01T00:00:00Z"' : time,
  );
}

/** Returns a stored object with metadata that are the same in every recording. */
function withFixedMetadata(object: JsonObject): JsonObject {
  const { managedFields, ...metadata } = object.metadata as JsonObject;
  const fixed = {
    uid: fixedUid,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return { ...object, metadata: { ...metadata, ...fixed } };
}

const statusOf = ({ body, warnings }: Response): Answer => ({
  status: { message: body.message, reason: body.reason, code: body.code, details: body.details } as never,
  ...(warnings.length > 0 && { warnings }),
});

async function store(name: string, base: Base, namespace: string): Promise<JsonObject> {
  const { collection, item } = pathOf(base.object, namespace);
  const created = await send('POST', collection, base.object);
  if (created.code >= 300) throw new Error(`base ${name}: ${created.body.message}`);
  if (base.status) {
    const written = await send('PUT', `${item}/status`, { ...created.body, status: base.status });
    if (written.code >= 300) throw new Error(`status of base ${name}: ${written.body.message}`);
    return written.body;
  }
  let { body } = created;
  while (base.until && !base.until(body)) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    body = (await send('GET', item)).body;
  }
  return body;
}

async function ask(suite: CaseSuite, one: Case, stored: Map<string, JsonObject>, namespace: string): Promise<Answer> {
  if ('create' in one) {
    const object = structuredClone(suite.bases[one.create]!.object);
    one.change?.(object);
    const answer = await send('POST', `${pathOf(object, namespace).collection}?dryRun=All&fieldManager=cases`, object);
    return answer.code < 300
      ? { object: strip(answer.body), ...(answer.warnings.length > 0 && { warnings: answer.warnings }) }
      : statusOf(answer);
  }
  if ('update' in one) {
    const object = structuredClone(stored.get(one.update)!);
    const path = pathOf(object, namespace).item;
    one.change(object);
    const answer = await send(
      'PUT',
      `${path}${one.subresource ? `/${one.subresource}` : ''}?dryRun=All&fieldManager=cases`,
      object,
    );
    return answer.code < 300
      ? { object: strip(answer.body), ...(answer.warnings.length > 0 && { warnings: answer.warnings }) }
      : statusOf(answer);
  }
  const answer = await send(
    'GET',
    pathOf(stored.get(one.table)!, namespace).item,
    undefined,
    'application/json;as=Table;g=meta.k8s.io;v=v1',
  );
  const { columnDefinitions, rows } = answer.body as { columnDefinitions: JsonObject[]; rows: { cells: unknown[] }[] };
  return { columns: columnDefinitions.map(({ description: _, ...column }) => column), cells: rows[0]!.cells };
}

async function record(name: string): Promise<void> {
  const { suite } = (await import(`./cases/${name}.cases.ts`)) as { suite: CaseSuite };
  const namespace = `cases-${name}`;
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const needed = new Set(
    Object.values(suite.cases).flatMap((one) => ('update' in one ? [one.update] : 'table' in one ? [one.table] : [])),
  );
  const stored = new Map<string, JsonObject>();
  try {
    const answers: Record<string, Answer> = {};
    // Creates come first: a stored base would make them fail with 409.
    const isCreate = (one: Case) => 'create' in one;
    const entries = Object.entries(suite.cases);
    for (const [sentence, one] of entries) {
      if (isCreate(one)) answers[sentence] = await ask(suite, one, stored, namespace);
    }
    for (const base of needed) stored.set(base, await store(base, suite.bases[base]!, namespace));
    for (const [sentence, one] of entries) {
      if (!isCreate(one)) answers[sentence] = await ask(suite, one, stored, namespace);
    }
    const recording: Recording = {
      stored: Object.fromEntries([...stored].map(([base, object]) => [base, withFixedMetadata(object)])),
      answers: Object.fromEntries(entries.map(([sentence]) => [sentence, answers[sentence]!])),
    };
    writeFileSync(join(here, 'recorded', `${name}.json`), withFixedTimes(print(recording)).replaceAll(uuid, fixedUid));
    console.log(`${name}: ${Object.keys(answers).length} answers`);
  } finally {
    for (const object of stored.values())
      await send('DELETE', `${pathOf(object, namespace).item}?gracePeriodSeconds=0&propagationPolicy=Background`);
  }
}

/** Formats one line per response, for readable diffs. */
function print({ stored, answers }: Recording): string {
  const lines = (record: object) =>
    Object.entries(record)
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join(',\n');
  return `{"stored":{\n${lines(stored)}\n},"answers":{\n${lines(answers)}\n}}\n`;
}

const wanted = process.argv.slice(2);
const all = readdirSync(join(here, 'cases'))
  .filter((file) => file.endsWith('.cases.ts'))
  .map((file) => file.slice(0, -'.cases.ts'.length));
for (const name of wanted.length > 0 ? wanted : all) await record(name);
