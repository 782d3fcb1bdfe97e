import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { homeDir } from './home-dir.ts';

const [home, profile, drive] = ['D:\\home', 'C:\\Users\\me', 'H:\\me'];
const all = { HOME: home, USERPROFILE: profile, HOMEDRIVE: 'H:', HOMEPATH: '\\me' };

it.each<[sentence: string, platform: NodeJS.Platform, env: Record<string, string>, there: string[], found: string]>([
  ['HOME on other systems', 'linux', { HOME: '/home/me', USERPROFILE: profile }, [profile], '/home/me'],
  ["the system's without HOME on other systems", 'darwin', {}, [], homedir()],
  ['the first with a kubeconfig', 'win32', all, [home, profile, `${profile}\\.kube\\config`], profile],
  ['the drive before the profile', 'win32', all, [`${profile}\\.kube\\config`, `${drive}\\.kube\\config`], drive],
  ['the first that exists', 'win32', all, [drive, profile], profile],
  ['the first that is set', 'win32', { USERPROFILE: profile, HOMEDRIVE: 'H:', HOMEPATH: '\\me' }, [], profile],
  ["the system's when none is set", 'win32', { HOMEDRIVE: 'H:' }, [], homedir()],
])('the home directory is %s', (_, platform, env, there, found) => {
  expect(homeDir(env, { platform, exists: (path) => there.includes(path) })).toBe(found);
});
