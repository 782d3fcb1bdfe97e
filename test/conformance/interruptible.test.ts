import { expect, it } from 'vitest';
import { interruptible } from './interruptible.ts';

it('aborts the work on a signal, waits for its end, and leaves the process as it was', async () => {
  const before = process.listenerCount('SIGTERM');
  const said: string[] = [];
  let isCleanedUp = false;
  const work = async (signal: AbortSignal) => {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
    });
    process.kill(process.pid, 'SIGTERM');
    await aborted;
    isCleanedUp = true;
    signal.throwIfAborted();
  };
  await expect(interruptible((line) => said.push(line), work, 'stopped')).rejects.toThrow('stopped');
  expect(isCleanedUp).toBe(true);
  expect(said).toEqual(['stopping']);
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
