import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choosePodResolver } from './pod-resolver.ts';

describe('choosePodResolver', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'coxswain-resolver-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const choose = async (own: string | undefined, other: string | undefined) => {
    const files = [join(directory, 'own'), join(directory, 'other')] as const;
    for (const [i, text] of [own, other].entries()) {
      await rm(files[i]!, { force: true });
      if (text !== undefined) await writeFile(files[i]!, text);
    }
    const { path, problem } = await choosePodResolver(...files);
    return { file: path === files[0] ? 'own' : 'other', problem: problem?.replaceAll(directory, '') };
  };

  it.each([
    ['usual servers', 'nameserver 192.0.2.53\nsearch example.org\n', 'nameserver 192.0.2.54\n', 'own'],
    [
      'the stub of systemd-resolved',
      '# stub\nnameserver 127.0.0.53\noptions edns0\n',
      'nameserver 192.0.2.54\n',
      'other',
    ],
    ['a local server of IPv6', 'nameserver ::1\n', 'nameserver fe80::1%eth0\n', 'other'],
    ['one usable server of two', 'nameserver 127.0.0.1\nnameserver 2001:db8::53\n', undefined, 'own'],
    ['no file', undefined, 'nameserver 192.0.2.54\n', 'other'],
  ])('chooses with %s', async (_, own, other, file) => {
    expect(await choose(own, other)).toEqual({ file, problem: undefined });
  });

  it.each([
    [
      'nameserver 127.0.0.53\n',
      'nameserver 127.0.0.1\n',
      "has only name servers on the node's loopback (127.0.0.53), which pods cannot reach",
    ],
    ['search example.org\n', undefined, 'has no name servers, which pods cannot reach'],
    [undefined, undefined, 'cannot be read: pods resolve no names outside of the cluster'],
  ])('says what is wrong with %j', async (own, other, problem) => {
    const chosen = await choose(own, other);
    expect(chosen.file).toBe('own');
    expect(chosen.problem).toContain(problem);
  });
});
