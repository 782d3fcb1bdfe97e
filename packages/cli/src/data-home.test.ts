import { expect, it } from 'vitest';
import { dataHome } from './data-home.ts';

it.each<[platform: NodeJS.Platform, env: Record<string, string>, homeDir: string, path: string]>([
  ['linux', { XDG_DATA_HOME: '/data', HOME: '/home/me' }, '/other', '/data/coxswain'],
  ['linux', { XDG_DATA_HOME: '', HOME: '/home/me' }, '/other', '/home/me/.local/share/coxswain'],
  ['darwin', {}, '/Users/me', '/Users/me/.local/share/coxswain'],
  ['win32', { LOCALAPPDATA: 'D:\\Data', HOME: '/c/Users/me' }, 'C:\\Users\\me', 'D:\\Data\\coxswain'],
  ['win32', {}, 'C:\\Users\\me', 'C:\\Users\\me\\AppData\\Local\\coxswain'],
])('on %s with %j it is the directory for users’ data', (platform, env, homeDir, path) => {
  expect(dataHome(env, { platform, homeDir })).toBe(path);
});
