import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../open-store.ts';
import type { Store, StoreEvent } from '../store.ts';
import { seededRandom, sumOfValue } from './crash-values.test-data.ts';

const rounds = 55;

/** A reported change: `put /crash/7 <checksum>`. */
type Change = string;

interface Told {
  /** The acknowledged changes, and those that a watcher received, by revision. */
  readonly acknowledged: Map<number, Change>;
  readonly heard: Map<number, Change>;
  compacted: number;
}

let scratch: string;
let program: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cox-crash-'));
  program = await bundle(scratch);
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** Bundles the writer into one file: a process that must transpile it first takes ten times as long to start. */
async function bundle(directory: string): Promise<string> {
  const entry = fileURLToPath(new URL('./crash-writer.test-data.ts', import.meta.url));
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { external: ['lmdb'], resolve: { conditions: ['coxswain-source'] } },
    build: {
      ssr: entry,
      outDir: directory,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'writer.mjs' } },
    },
  });
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(directory, 'node_modules'));
  return join(directory, 'writer.mjs');
}

/**
 * Runs the writer until a line for which `enough` holds, then kills it. Returns everything it reported until it was
 * gone.
 */
async function runAndKill(
  path: string,
  seed: number,
  enough: (acknowledged: number, line: string) => boolean,
): Promise<Told> {
  const told: Told = { acknowledged: new Map(), heard: new Map(), compacted: 0 };
  const child = spawn(process.execPath, [program, path, String(seed)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  for await (const line of createInterface({ input: child.stdout })) {
    const [kind, type = '', key = '', revision = '', sum = ''] = line.split(' ');
    // The last line may be truncated by the kill.
    const whole = sum.length === 40 || (type === 'delete' && sum === '-');
    if (kind === 'ack' && whole) told.acknowledged.set(Number(revision), `${type} ${key} ${sum}`);
    if (kind === 'event' && whole) told.heard.set(Number(revision), `${type} ${key} ${sum}`);
    if (kind === 'compacted') told.compacted = Math.max(told.compacted, Number(type));
    if (enough(told.acknowledged.size, line)) child.kill('SIGKILL');
  }
  expect(await exited).toBe('SIGKILL');
  return told;
}

function changeOf(event: StoreEvent): Change {
  const sum = event.type === 'put' ? (sumOfValue(event.entry.value) ?? 'broken') : '-';
  return `${event.type} ${event.key} ${sum}`;
}

/** Returns all changes after a revision, by revision. */
async function historyOf(store: Store, after: number): Promise<Map<number, Change>> {
  const history = new Map<number, Change>();
  const revision = await store.currentRevision();
  await new Promise<void>((resolve, reject) => {
    const watch = store.watch('', after, {
      onEvents: (events) => {
        for (const event of events) history.set(event.revision, changeOf(event));
      },
      onProgress: (reached) => {
        if (reached >= revision) resolve();
      },
      onEnd: reject,
    });
    watch.requestProgress();
  });
  return history;
}

async function stateOf(store: Store, revision: number): Promise<string[]> {
  const { entries } = await store.list('', { revision });
  return entries
    .map(({ key, value, modRevision }) => `put ${key} ${sumOfValue(value) ?? 'broken'}@${modRevision}`)
    .sort();
}

/** Returns the expected state at a revision after these changes. */
function stateAfter(changes: ReadonlyMap<number, Change>, revision: number): string[] {
  const state = new Map<string, string>();
  for (const [at, change] of [...changes].sort(([a], [b]) => a - b)) {
    const [type, key = ''] = change.split(' ');
    if (at > revision) break;
    if (type === 'put') state.set(key, `${change}@${at}`);
    else state.delete(key);
  }
  return [...state.values()].sort();
}

describe('a store whose process is killed', () => {
  it(`has all acknowledged writes and no partial ones, ${rounds} times`, { timeout: 120_000 }, async () => {
    const path = join(scratch, 'data');
    const random = seededRandom(20_260_101);
    /** Every change since the first round, by revision. */
    const changes = new Map<number, Change>();
    let known = 1;
    let compacted = 0;
    let acknowledged = 0;
    let compactions = 0;
    for (let round = 0; round < rounds; round++) {
      // Some are killed while they open the store, some just after, most during their writes.
      const kind = round % 11;
      const wanted = 1 + Math.floor(random() * 250);
      const told = await runAndKill(path, round, (count, line) =>
        kind === 0 ? line === 'started' : kind === 1 ? line.startsWith('opened') : count >= wanted,
      );
      acknowledged += told.acknowledged.size;
      if (told.compacted > 0) compactions++;

      const store = await openLmdbStore({ path });
      try {
        const revision = await store.currentRevision();
        const oldest = await store.compactedRevision();
        expect(oldest).toBeGreaterThanOrEqual(Math.max(compacted, told.compacted));
        compacted = oldest;
        expect(revision).toBeGreaterThanOrEqual(Math.max(known, ...told.acknowledged.keys(), ...told.heard.keys()));

        // All history since the compaction is there, and equals what the writer reported.
        const history = await historyOf(store, oldest);
        expect([...history.keys()]).toEqual(
          Array.from({ length: history.size }, (_, index) => revision - history.size + 1 + index),
        );
        expect(history.size).toBe(revision - Math.max(oldest, 1));
        for (const known of [changes, told.heard, told.acknowledged]) {
          for (const [at, change] of known) if (at > oldest) expect([at, history.get(at)]).toEqual([at, change]);
        }
        for (const [at, change] of told.acknowledged) expect([at, told.heard.get(at)]).toEqual([at, change]);
        for (const [at, change] of [...told.heard, ...history]) changes.set(at, change);

        // Every revision has a known change: none was lost.
        expect(changes.size).toBe(revision - 1);
        for (const at of [revision, oldest, oldest + Math.floor(random() * (revision - oldest + 1))]) {
          expect(await stateOf(store, Math.max(at, 1))).toEqual(stateAfter(changes, at));
        }
        known = revision;
      } finally {
        await store.close();
      }
    }
    // The test is only meaningful if the writer was able to write.
    expect(acknowledged).toBeGreaterThan(rounds * 50);
    expect(compactions).toBeGreaterThan(rounds / 3);
  });
});

describe('a data directory that several processes open', () => {
  /** Starts the writer and returns it with its first output: that it opened the store, or why not. */
  async function contender(path: string) {
    const child = spawn(process.execPath, [program, path, '1'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (data: Buffer) => {
      complaint += data;
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const opened = new Promise<boolean>((resolve) => {
      const lines = createInterface({ input: child.stdout });
      lines.on('line', (line) => line.startsWith('opened') && resolve(true));
      lines.on('close', () => resolve(false));
    });
    const kill = async () => {
      child.kill('SIGKILL');
      await closed;
    };
    if (!(await opened)) await closed;
    return { pid: child.pid, opened: await opened, complaint, kill };
  }

  it('is used by one of them, which the others’ error names, until that one is killed', async () => {
    const path = join(scratch, 'wanted');
    const contenders = await Promise.all(Array.from({ length: 5 }, () => contender(path)));
    const holders = contenders.filter(({ opened }) => opened);
    expect(holders.length).toBe(1);
    const message = `data directory ${path} is in use by process ${holders[0]?.pid}`;
    for (const { opened, complaint } of contenders) if (!opened) expect(complaint).toContain(message);
    await expect(openLmdbStore({ path })).rejects.toThrow(message);
    await holders[0]?.kill();
    const store = await openLmdbStore({ path });
    await store.close();
  });
});
