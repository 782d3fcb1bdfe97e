import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** The system that a path is for; that of this process by default. */
export interface Platform {
  readonly platform?: NodeJS.Platform;
  readonly homeDir?: string;
}

/**
 * Returns the directory of Coxswain's data for a user: `coxswain` in `$XDG_DATA_HOME`, else in `%LOCALAPPDATA%` on Windows and in
 * `~/.local/share` elsewhere.
 */
export function dataHome(
  { XDG_DATA_HOME, LOCALAPPDATA, HOME }: Readonly<Record<string, string | undefined>>,
  { platform = process.platform, homeDir = homedir() }: Platform = {},
): string {
  if (platform === 'win32')
    return win32.join(XDG_DATA_HOME || LOCALAPPDATA || win32.join(homeDir, 'AppData', 'Local'), 'coxswain');
  return posix.join(XDG_DATA_HOME || posix.join(HOME || homeDir, '.local', 'share'), 'coxswain');
}
