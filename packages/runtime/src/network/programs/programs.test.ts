import { HelperCommands } from '@coxswain/linux';
import { afterAll, describe, expect, it } from 'vitest';
import { ProgramError, runProgram, runWithInput } from './run-program.ts';

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
