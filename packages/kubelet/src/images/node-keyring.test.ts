import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock } from '@coxswain/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NodeKeyring } from './node-keyring.ts';

let directory: string;
let rootDirectory: string;
let homeDirectory: string;
const clock = new FakeClock();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-keyring-'));
  rootDirectory = join(directory, 'kubelet');
  homeDirectory = join(directory, 'home');
  await mkdir(rootDirectory);
  await mkdir(join(homeDirectory, '.docker'), { recursive: true });
});
afterEach(() => rm(directory, { recursive: true }));

const entry = (username: string) => ({ 'registry.example': { username, password: 'hush' } });
const logs = recordLogs();
const newKeyring = () => new NodeKeyring({ rootDirectory, homeDirectory, clock, logger: logs.logger });

async function userOf(node: NodeKeyring): Promise<string | undefined> {
  return (await node.keyring()).lookup('registry.example/web')[0]?.username;
}

it('the first file that can be read is used', async () => {
  expect(await userOf(newKeyring())).toBeUndefined();
  await writeFile(join(homeDirectory, '.dockercfg'), JSON.stringify(entry('old')));
  expect(await userOf(newKeyring())).toBe('old');
  await writeFile(join(homeDirectory, '.docker', 'config.json'), JSON.stringify({ auths: entry('home') }));
  expect(await userOf(newKeyring())).toBe('home');
  await writeFile(join(rootDirectory, 'config.json'), JSON.stringify({ auths: entry('root') }));
  expect(await userOf(newKeyring())).toBe('root');
  await writeFile(join(rootDirectory, 'config.json'), `{"auths":${' '.repeat(2 ** 20)}}`);
  expect(await userOf(newKeyring())).toBe('home');
});

it('a file is read again after five minutes', async () => {
  const node = newKeyring();
  const path = join(rootDirectory, 'config.json');
  await writeFile(path, JSON.stringify({ auths: entry('first') }));
  expect(await userOf(node)).toBe('first');
  await writeFile(path, JSON.stringify({ auths: entry('second') }));
  await clock.advance(299_999);
  expect(await userOf(node)).toBe('first');
  await clock.advance(1);
  expect(await userOf(node)).toBe('second');
});
