import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTokenFile } from './token-file.ts';

describe('loadTokenFile', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'token-file-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function load(text: string) {
    const path = join(directory, 'tokens.csv');
    await writeFile(path, text);
    const warnings: string[] = [];
    const { logger } = recordLogs({ onLine: (line) => warnings.push(line.replace(path, 'F')) });
    const authenticator = await loadTokenFile(path, logger);
    return { path, warnings, find: async (token: string) => (await authenticator.authenticateToken(token, []))?.user };
  }

  it('returns the users of its tokens', async () => {
    const { find, warnings } = await load('t1,alice,u1\nt2,bob,u2,"dev,ops"\nt3,eve,,""\n');
    expect(await find('t1')).toEqual({ username: 'alice', uid: 'u1' });
    expect(await find('t2')).toEqual({ username: 'bob', uid: 'u2', groups: ['dev', 'ops'] });
    expect(await find('t3')).toEqual({ username: 'eve', groups: [''] });
    for (const unknown of ['', 't', 't11', 'T1', '__proto__']) expect(await find(unknown)).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('uses the last of duplicate tokens, skips empty ones, and logs both without the token', async () => {
    const { find, warnings } = await load('secret,alice,u1\n,nobody,u0\nsecret,bob,u2\n');
    expect(await find('secret')).toEqual({ username: 'bob', uid: 'u2' });
    expect(await find('')).toBeUndefined();
    expect(warnings).toEqual([
      'warning "Empty token has been found in token file" path="F" record=2',
      'warning "Duplicate token has been found in token file" path="F" record=3',
    ]);
  });

  it.each([
    ['t1,alice\n', "token file 'F' must have at least 3 columns (token, user name, user uid), found 2"],
    ['t1,alice,u1,"dev\n', 'parse error on line 1, column 18: extraneous or missing " in quoted-field'],
  ])('throws for %j', async (text, message) => {
    const path = join(directory, 'tokens.csv');
    await expect(load(text)).rejects.toThrow(new Error(message.replace('F', path)));
  });
});
