import { closeSync, openSync, writeSync } from 'node:fs';
import { silentLogger } from '@coxswain/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ContainerLogManager } from './container-log-manager.ts';
import { LogFiles } from './log-files.ts';
import { criLine, LogScratch, ScriptedRuntime } from './scripted-runtime.test-data.ts';

/** What happens to a log: a write of the container, in one or two pieces; a rotation; a reader that takes a chunk, or all that there is. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      text: fc.string({ unit: 'binary', maxLength: 30 }),
      isPartial: fc.boolean(),
      cutAt: fc.nat(60),
      isReadBetween: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      text: fc.constant('x'.repeat(200_000)),
      isPartial: fc.boolean(),
      cutAt: fc.nat(200_000),
      isReadBetween: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant('rotation' as const) },
  { weight: 3, arbitrary: fc.constantFrom('a chunk is read', 'all is read') },
);

it('a follower gets exactly what was written, in order and once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const scratch = new LogScratch();
      try {
        const [written, read] = await play(steps, scratch);
        expect(read).toBe(written);
      } finally {
        scratch.dispose();
      }
    }),
    { numRuns: 200 },
  );
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function play(steps: readonly Step[], scratch: LogScratch): Promise<[written: string, read: string]> {
  const runtime = new ScriptedRuntime();
  const { clock, cri } = runtime;
  const container = runtime.container('c1', { logPath: scratch.path });
  const manager = new ContainerLogManager({
    service: cri.runtime,
    clock,
    logger: silentLogger,
    maxSizeBytes: 0,
    maxFiles: 100,
  });
  const logs = new LogFiles({ service: cri.runtime, root: scratch.root, clock, logger: silentLogger });
  const chunks = logs.read({ id: 'c1', logPath: scratch.path }, { follow: true })[Symbol.asyncIterator]();
  let written = '';
  let read = '';
  let pending: Promise<boolean> | undefined;
  const readOne = async (): Promise<boolean> => {
    const { done, value } = await chunks.next();
    if (!done) read += Buffer.from(value).toString('latin1');
    pending = undefined;
    return !done;
  };
  /** Resolves with false at the end of the log. Time passes, so that this does not depend on the system's notifications. */
  const chunk = async (): Promise<boolean> => {
    pending ??= readOne();
    const reading = pending;
    let isOver = false;
    void reading.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(1000);
    return await reading;
  };
  let file = openSync(scratch.path, 'a');
  const print = (text: string, tag = 'F'): Buffer => {
    written += Buffer.from(text).toString('latin1') + (tag === 'F' ? '\n' : '');
    return Buffer.from(criLine(text, { tag }));
  };
  runtime.onReopen = ({ logPath }) => {
    // The container prints between the renaming and the new file.
    writeSync(file, print('late'));
    closeSync(file);
    file = openSync(logPath, 'a');
  };
  writeSync(file, print('first'));
  await chunk();
  for (const one of steps) {
    if (one === 'rotation') {
      clock.turn(1000);
      // The reader goes on while the log is rotated.
      pending ??= readOne();
      await manager.rotateLogs(new AbortController().signal);
    } else if (one === 'a chunk is read') {
      if (read.length < written.length) await chunk();
    } else if (one === 'all is read') {
      while (read.length < written.length) await chunk();
    } else {
      const line = print(one.text.replaceAll('\n', ' '), one.isPartial ? 'P' : 'F');
      writeSync(file, line.subarray(0, one.cutAt));
      if (one.isReadBetween) {
        // The reader comes to the end of the file, and waits for more if it gets nothing.
        pending ??= readOne();
        await clock.advance(1000);
      }
      writeSync(file, line.subarray(one.cutAt));
    }
  }
  container.state = 'CONTAINER_EXITED';
  while (await chunk());
  closeSync(file);
  return [written, read];
}
