import { setTimeout as delay } from 'node:timers/promises';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { HelperCommands } from './helper-commands.ts';

const open: HelperCommands[] = [];
function commands(options?: ConstructorParameters<typeof HelperCommands>[0]): HelperCommands {
  const made = new HelperCommands(options);
  open.push(made);
  return made;
}
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function isGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await delay(5);
  }
}

describe.skipIf(process.platform === 'win32')('helper commands', () => {
  it('give the status and the output of a program', async () => {
    expect(await commands().run(['ls', '/nowhere'])).toEqual({
      status: 2,
      output: "ls: cannot access '/nowhere': No such file or directory\n",
    });
  });

  it.each(['a b', "it's", '$HOME `id` $(id)', '"; exit 3; "', 'two\nlines', '\\', '*', '', 'ü'])(
    'hand the argument %j on as it is',
    async (argument) => {
      const helper = commands();
      expect(await helper.run(['printf', '%s', argument])).toEqual({ status: 0, output: argument });
      expect(await helper.run(['printf', '%s', 'next'])).toEqual({ status: 0, output: 'next' });
    },
  );

  it('refuse an argument with NUL, and go on', async () => {
    const helper = commands();
    await expect(helper.run(['echo', 'a\0b'])).rejects.toThrow('contains NUL');
    expect((await helper.run(['echo', 'a'])).output).toBe('a\n');
  });

  it('keep the first 64 KiB of an output', async () => {
    const helper = commands();
    const { status, output } = await helper.run(['sh', '-c', 'yes | head -c 300000; exit 3']);
    expect({ status, length: output.length }).toEqual({ status: 3, length: 65536 });
    expect(await helper.run(['echo', 'next'])).toEqual({ status: 0, output: 'next\n' });
  });

  it('kill a program that is aborted, without its shell, and go on', async () => {
    const helper = commands({ maxShells: 1 });
    const abort = new AbortController();
    const { output } = await helper.run(['sh', '-c', 'sleep 1000 & echo $!']);
    const inBackground = Number(output);
    const running = helper.run(['sleep', '1000'], { signal: abort.signal });
    const failed = expect(running).rejects.toThrow('enough');
    const waiting = helper.run(['echo', 'next']);
    abort.abort(new Error('enough'));
    await failed;
    expect((await waiting).output).toBe('next\n');
    // The whole process group ends.
    await isGone(inBackground);
  });

  it('give up a program that hangs after the time for it', async () => {
    const clock = new FakeClock();
    const helper = commands({ clock });
    const running = helper.run(['sleep', '1000'], { timeoutMs: 5000 });
    const failed = expect(running).rejects.toThrow('sleep did not end within 5 s');
    await clock.advance(5000);
    await failed;
    expect(clock.pending).toBe(0);
  });

  it('run a few programs at once, the next ones in order, and refuse more than may wait', async () => {
    const helper = commands({ maxShells: 2, maxWaiting: 1 });
    const abort = new AbortController();
    const hanging = [1, 2].map(() => helper.run(['sleep', '1000'], { signal: abort.signal }).catch(() => 'ended'));
    const waiting = helper.run(['echo', 'late']);
    await expect(helper.run(['echo'])).rejects.toThrow('1 commands are waiting already');
    abort.abort();
    expect(await Promise.all(hanging)).toEqual(['ended', 'ended']);
    expect((await waiting).output).toBe('late\n');
  });

  it('start a shell again that was killed', async () => {
    const helper = commands({ maxShells: 1 });
    const dying = helper.run(['sh', '-c', 'kill -9 $PPID; sleep 1000']);
    await expect(dying).rejects.toThrow('the helper shell ended');
    expect((await helper.run(['echo', 'again'])).output).toBe('again\n');
  });
});
