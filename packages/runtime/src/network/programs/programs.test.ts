import { HelperCommands } from '@coxswain/linux';
import { afterAll, describe, expect, it } from 'vitest';
import { KeyedTurns } from './keyed-turns.ts';
import { Limiter } from './limiter.ts';
import { ProgramError, runProgram, runWithInput } from './run-program.ts';

describe('Limiter', () => {
  it('lets so many run at once, the others in order, and forgets what is aborted', async () => {
    const limiter = new Limiter(2);
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const call = (name: string) => () => {
      events.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const abort = new AbortController();
    const all = [limiter.run(call('a')), limiter.run(call('b'))];
    const aborted = limiter.run(call('c'), abort.signal);
    all.push(limiter.run(call('d')));
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(events).toEqual(['a', 'b']);
    ends[0]!();
    await all[0];
    await expect.poll(() => events).toEqual(['a', 'b', 'd']);
    ends[1]!();
    ends[2]!();
    await Promise.all(all);
    expect(await limiter.run(async () => 'free')).toBe('free');
  });
});

describe('KeyedTurns', () => {
  it('runs calls of a key one after the other, also after a failure, and other keys at once', async () => {
    const turns = new KeyedTurns();
    const events: string[] = [];
    let fail: () => void = () => {};
    const first = turns.run('a', () => new Promise((_, reject) => (fail = () => reject(new Error('failed')))));
    const second = turns.run('a', async () => events.push('a2'));
    await turns.run('b', async () => events.push('b1'));
    expect(events).toEqual(['b1']);
    fail();
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(events).toEqual(['b1', 'a2']);
  });
});

describe.skipIf(process.platform === 'win32')('programs', () => {
  const commands = new HelperCommands();
  afterAll(() => commands.close());

  it('get a text as their input, of any length', async () => {
    const text = `${'ä%s\\n"$x`'.repeat(40_000)}end`;
    expect(await runWithInput(commands, ['sh', '-c', 'wc -c'], text)).toBe(`${Buffer.byteLength(text)}\n`);
    expect(await runWithInput(commands, ['cat'], "a 'b' %d\\n$c\n")).toBe("a 'b' %d\\n$c\n");
    expect(await runWithInput(commands, ['cat'], '')).toBe('');
  });

  it('fail with what they printed', async () => {
    await expect(runProgram(commands, ['ls', '/nowhere'])).rejects.toThrow(
      "ls failed: ls: cannot access '/nowhere': No such file or directory",
    );
    await expect(runWithInput(commands, ['sh', '-c', 'exit 3'], '')).rejects.toBeInstanceOf(ProgramError);
  });
});
